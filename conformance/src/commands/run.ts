import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dial, dialCommand, dialHttp, dialWebSocket } from '../adapter/carriers.ts';
import { createSession, type Session } from '../adapter/session.ts';
import { createRecorder, readExpectedFailures } from '../report/recorder.ts';
import { loadScenarios, scenarioHead } from '../scenarios/load.ts';
import { runScenario } from '../scenarios/run-scenario.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import { loadSuite } from '../suite/suite.ts';
import { bucketHead, runBuckets } from '../vectors/run-buckets.ts';
import { runVector, vectorHead } from '../vectors/run-vectors.ts';
import { createSelection, OUTPUT_OPTIONS, parseOptions, toOutputs, UsageError } from './options.ts';

const SUITES = ['vectors', 'sdk'] as const;

/** Options that say who is tested. */
export const TARGET_OPTIONS = {
  adapter: { type: 'string' },
  url: { type: 'string' },
  ws: { type: 'string' },
  timeout: { type: 'string', default: '10000' },
} as const;

const OPTIONS = {
  ...OUTPUT_OPTIONS,
  ...TARGET_OPTIONS,
  suite: { type: 'string', multiple: true },
  slack: { type: 'string', default: '10' },
  scale: { type: 'string', default: '0.02' },
} as const;

interface TargetValues {
  readonly adapter?: string | undefined;
  readonly url?: string | undefined;
  readonly ws?: string | undefined;
}
const parseRun = (args: readonly string[]) => parseOptions(args, OPTIONS).values;

/** `run`: asks an adapter everything and gives the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  const values = parseRun(args);
  const outputs = toOutputs(values);
  const suites = new Set<string>(values.suite ?? SUITES);
  for (const name of suites) {
    if (!(SUITES as readonly string[]).includes(name))
      throw new UsageError(`--suite is ${SUITES.join(' or ')}`);
  }
  const suite = loadSuite();
  const selection = createSelection(values.only);
  const vectors = suites.has('vectors')
    ? suite.vectors.filter((vector) => selection.has(vectorHead(vector)))
    : [];
  const buckets = suites.has('vectors') ? suite.buckets.filter((row) => selection.has(bucketHead(row))) : [];
  const loaded = loadScenarios(suite.directory);
  const scenarios = suites.has('sdk')
    ? loaded.scenarios.filter((one) => selection.has(scenarioHead(one)))
    : [];
  selection.check();
  const expectedFailures = readExpectedFailures(values['expected-failures']);
  const opened = await open(values);
  try {
    const { session } = opened;
    const hello = await session.hello();
    const recorder = createRecorder(outputs, {
      suite: { ...suite, requirements: loadAllRequirements(suite) },
      implementation: hello,
      planned: vectors.length + buckets.length + scenarios.length,
      partial: selection.partial,
      parts: SUITES.filter((name) => suites.has(name)),
      expectedFailures,
      repeat: (id) => `flagsvc-conformance run ${targetOf(values)} --only ${id}`,
    });
    const options = { slack: Number(values.slack), scale: Number(values.scale) };
    for (const vector of vectors) recorder.caseDone(await runVector(session, hello, vector, options));
    await runBuckets(session, hello, buckets, recorder.caseDone);
    for (const scenario of scenarios) recorder.caseDone(await runScenario(session, hello, scenario, options));
    return recorder.end().good ? 0 : 1;
  } finally {
    await opened.close();
  }
};

/** The part of the command line that says who is tested. */
export const targetOf = ({ adapter, url, ws }: TargetValues): string =>
  [
    ...(ws === undefined ? [] : [`--ws ${ws}`]),
    ...(url === undefined ? [] : [`--url ${url}`]),
    ...(adapter === undefined ? [] : [`--adapter ${quote(adapter)}`]),
  ].join(' ');

/** As a POSIX shell reads one word. */
const quote = (text: string): string =>
  /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;

/** Opens the way that the options name: a command, an address, or a port for adapters that dial. */
export const open = async (
  values: TargetValues & { readonly timeout: string },
): Promise<{ readonly session: Session; close(): Promise<void> }> => {
  const timeoutMs = Number(values.timeout);
  if (!(timeoutMs > 0)) throw new UsageError('--timeout is in milliseconds');
  if (values.ws !== undefined) return openWebSocket(Number(values.ws), values.adapter, timeoutMs);
  if ((values.adapter === undefined) === (values.url === undefined)) {
    throw new UsageError('give one of --adapter "command", --url address, --ws port');
  }
  const dial: Dial = values.url === undefined ? dialCommand(values.adapter!) : dialHttp(values.url);
  const session = createSession(dial, { timeoutMs });
  return { session, close: () => session.close() };
};

/** How long what was started may take to end by itself. */
const GRACE_MS = 5_000;

const end = async (child: ReturnType<typeof spawn>): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null) return;
  const exited = once(child, 'exit');
  const { pid } = child;
  process.kill(-pid, 'SIGTERM');
  const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), GRACE_MS);
  await exited;
  clearTimeout(timer);
};

/** With `--ws` the command, if there is one, is what starts the other side; it is told where to dial. */
const openWebSocket = async (port: number, command: string | undefined, timeoutMs: number) => {
  let child: ReturnType<typeof spawn> | undefined;
  const { dial, close } = await dialWebSocket(port, (address) => {
    if (command === undefined) process.stderr.write(`waiting for an adapter at ${address}\n`);
    else {
      const env = { ...process.env, FLAGSVC_ADAPTER_URL: address };
      child = spawn(command, { shell: true, detached: true, env, stdio: ['ignore', 'ignore', 'inherit'] });
    }
  });
  const session = createSession(dial, { timeoutMs });
  return {
    session,
    async close() {
      await session.close();
      if (child) await end(child);
      await close();
    },
  };
};
