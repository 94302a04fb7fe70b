import { loadSuite } from '../suite/suite.ts';
import { adapterCheck } from './adapter-check.ts';
import { explain, list } from './list.ts';
import { UsageError } from './options.ts';
import { report } from './report.ts';
import { run } from './run.ts';
import { server } from './server.ts';

const USAGE = `flagsvc-conformance: checks an implementation of the feature flag service against the suite

  run --adapter "python3 adapter.py"    an SDK or evaluator, JSON lines over stdin and stdout
  run --url http://127.0.0.1:9000/      the same, over HTTP POST
  run --ws 9001 [--adapter "command"]   the same, for adapters that dial, such as a page
  server --url http://host/api/v1 --admin-email E --admin-password P
                                        a running server, as a black box
  adapter-check --adapter "command"     whether the adapter itself is in order; start here
  list [--only GROUP] [--requirements]  what there is
  explain ID                            one case in full, with the sentences that it tests; or a sentence
  report A.json B.json --html FILE      several runs in one matrix

  --only ID,ID|GROUP                    some cases: ids, groups, beginnings of them, or sentences (EV-60); may be repeated
  --suite vectors|sdk                   (run) one part of the suite; may be repeated
  --expected-failures FILE              failures that have an issue; passing ones fail the run
  --timeout MS                          (run) longest wait for an answer; default 10000
  --slack N                             (run) how much slower than a time limit it may be; default 10
  --scale N                             (run) real time for scenario time without a clock; default 0.02
  --spec VERSION                        (run, server) the suite as it was in that version
  --without-clock                       (run) real time, scaled, also for an adapter whose time can be moved
  --long                                (run) also what takes minutes
  --jwt-secret S                        (server) its signing secret, to make an expired token
  --name N                              (server) its name in the report
  --vectors-every N                     (server) every N-th vector; default 1
  --sequences N --sequence-length M     (server) random commands; default 10 of 60
  --adapter "command"                   (server) an evaluator that has to decide as the server does
  --without-limits                      (server) leave the rate limits alone

  --format human|tap|jsonl              what stdout gets; default human
  --out DIR                             all of: results.tap junit.xml results.jsonl matrix.html report.json badges/
  --tap --junit --jsonl --html --report --badges PATH   or one by one

  --version                             of the suite

Exit code 0: nothing unexpected happened. 1: something did. 2: the command line or the suite is wrong.
`;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  run,
  server,
  list,
  explain,
  'adapter-check': adapterCheck,
  report,
};

/** Runs one command line and gives the exit code. */
export const main = async (args: readonly string[]): Promise<number> => {
  const [name = 'help', ...rest] = args;
  // Whoever reads only the beginning has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
  // So that what was started is ended, too.
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
        `there is no command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}, and --help`,
      );
    return await command(rest);
  } catch (error) {
    process.stderr.write(`flagsvc-conformance: ${(error as Error).message}\n`);
    if (!(error instanceof UsageError) && process.env['FLAGSVC_DEBUG']) console.error(error);
    return 2;
  }
};
