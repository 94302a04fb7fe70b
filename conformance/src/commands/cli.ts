import { loadSuite } from '../suite/suite.ts';
import { adapterCheck } from './adapter-check.ts';
import { archive } from './archive.ts';
import { example } from './example.ts';
import { explain, list } from './list.ts';
import { ofrep } from './ofrep.ts';
import { UsageError } from './options.ts';
import { report } from './report.ts';
import { run } from './run.ts';
import { server } from './server.ts';
import { site } from './site.ts';

const USAGE = `flagsvc-conformance: checks an implementation of the feature flag service against the suite

  run --adapter "python3 adapter.py"    tests an SDK or evaluator, over JSON lines on stdin and stdout
  run --url http://127.0.0.1:9000/      the same, over HTTP POST
  run --ws 9001 [--adapter "command"]   the same, for an adapter that connects to the kit, such as a page
  server --url http://host/api/v1 --admin-email E --admin-password P
                                        tests a running server, as a black box
  ofrep --url http://host [--key KEY]   tests a server of OpenFeature's remote evaluation protocol that has the flags of
                                        ofrep/flags.json, which the archive contains
  adapter-check --adapter "command"     checks the adapter itself; start here
  list [--only GROUP] [--requirements] [--profiles] [--changes]
                                        lists groups, cases, sentences, profiles, or the cases of each version
  example python                        copies an evaluator in Python with its adapter to ./examples/python-evaluator
  archive [--out DIR]                   writes the suite as one archive with its checksum: vectors, scenarios, schemas and
                                        all pages; begin with its README.md
  explain ID                            shows a case with the sentences that it tests, or a sentence
  report A.json B.json --html FILE      writes several runs as one matrix
  site REPORTS [--out DIR]              writes a static site from the reports below the directory REPORTS

  --only ID,ID|GROUP                    only these ids, groups, prefixes of either, or sentences (EV-60); may be repeated
  --suite vectors|sdk                   (run) only this part of the suite; may be repeated
  --profile minimal|standard|full       (run) only the cases of this profile; see "list --profiles"
  --failed                              (run) only the cases that failed when this adapter was last tested
  --watch DIR                           (run) runs again after each change below DIR, the failed cases first; may be repeated
  --expected-failures FILE              known failures with their issues; the run fails if one of them passes
  --timeout MS                          (run) longest wait for an answer; default 10000
  --slack N                             (run) factor by which time limits may be exceeded; default 10
  --scale N                             (run) without a virtual clock: real ms per ms of scenario time; default 0.02
  --spec VERSION                        (run, server, ofrep) an earlier version of the suite
  --without-clock                       (run) real time, scaled, even if the adapter has a virtual clock
  --long                                (run) also cases that take minutes
  --jwt-secret S                        (server) the server's signing secret, to make an expired token
  --name N                              (server, ofrep) the server's name in the report
  --without x-api-key|bearer|etag|stream
                                        (ofrep) a part that the server does not have; may be repeated
  --server-version V                    (ofrep) the server's version in the report
  --vectors-every N                     (server) only every N-th vector; default 1
  --sequences N --sequence-length M     (server) number and length of random command sequences; default 10 and 60
  --adapter "command"                   (server) an evaluator that must give the server's results
  --without-limits                      (server) leaves out the cases that use up rate limits

  --format human|tap|jsonl              format on stdout; default human
  --out DIR                             writes results.tap junit.xml results.jsonl matrix.html report.json badges/
  --tap --junit --jsonl --html --report --badges PATH   writes only these

  --version                             prints the version of the suite

Exit codes: 0 if all is as expected, 1 if not, 2 if the command line or the suite is wrong.
`;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  run,
  server,
  ofrep,
  list,
  explain,
  example,
  archive,
  'adapter-check': adapterCheck,
  report,
  site,
};

/** Runs a command line and returns the exit code. */
export const main = async (args: readonly string[]): Promise<number> => {
  const [name = 'help', ...rest] = args;
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
  // Exits normally, so that the handlers of `exit` end started processes.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(signal, () => process.exit(code));
  if (name === '--version') {
    process.stdout.write(`${loadSuite().version}\n`);
    return 0;
  }
  if (['help', '--help', '-h'].includes(name) || rest.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command)
      throw new UsageError(
        `there is no command "${name}"; the commands are ${Object.keys(COMMANDS).join(', ')}; see --help`,
      );
    return await command(rest);
  } catch (error) {
    process.stderr.write(`flagsvc-conformance: ${(error as Error).message}\n`);
    if (!(error instanceof UsageError) && process.env['FLAGSVC_DEBUG']) console.error(error);
    return 2;
  }
};
