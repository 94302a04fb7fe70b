import type { Session } from '../adapter/session.ts';
import { createRecorder } from '../report/recorder.ts';
import type { Implementation } from '../report/results.ts';
import { loadServerScenarios } from '../scenarios/load.ts';
import { holdToContract } from '../server/check-openapi.ts';
import { type Caller, createCaller } from '../server/http-client.ts';
import { runSequence, sequenceHead } from '../server/run-sequence.ts';
import { runServerScenario } from '../server/run-server-scenario.ts';
import { runServerVector, serverVectorHead } from '../server/run-server-vector.ts';
import { enterWorld, type ServerTarget, type World } from '../server/tested-server.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import type { Suite } from '../suite/suite.ts';
import {
  createSelection,
  loadEdition,
  OUTPUT_OPTIONS,
  parseOptions,
  readExpectedFailures,
  toNumber,
  toOutputs,
  UsageError,
} from './options.ts';
import { greet, open, quote, TARGET_OPTIONS } from './target.ts';

const OPTIONS = {
  ...OUTPUT_OPTIONS,
  url: { type: 'string' },
  'admin-email': { type: 'string' },
  'admin-password': { type: 'string' },
  'jwt-secret': { type: 'string' },
  name: { type: 'string', default: 'server' },
  'vectors-every': { type: 'string', default: '1' },
  sequences: { type: 'string', default: '10' },
  'sequence-length': { type: 'string', default: '60' },
  'without-limits': { type: 'boolean', default: false },
  spec: { type: 'string' },
  adapter: { type: 'string' },
} as const;

/** `server`: asks a running server everything, as an admin, an SDK and a stranger, and gives the exit code. */
export const server = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, OPTIONS);
  const { url, 'admin-email': adminEmail, 'admin-password': adminPassword } = values;
  if (url === undefined || adminEmail === undefined || adminPassword === undefined) {
    throw new UsageError('give --url http://host/api/v1 --admin-email --admin-password');
  }
  if (!/^https?:/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError(`--url ${url} is no address; it looks like http://127.0.0.1:8000/api/v1`);
  }
  const outputs = toOutputs(values);
  const suite = loadEdition(values.spec);
  const selection = createSelection(values.only);
  const every = toNumber(values, 'vectors-every', { min: 1, integer: true });
  const plan = choose(suite, selection, {
    every,
    sequences: toNumber(values, 'sequences', { min: 0, max: 999, integer: true }),
    length: toNumber(values, 'sequence-length', { min: 1, integer: true }),
    limits: !values['without-limits'],
  });
  selection.check();
  const expectedFailures = readExpectedFailures(values['expected-failures']);
  const caller = createCaller(url, (text) => void process.stderr.write(text));
  const target = { url, adminEmail, adminPassword, jwtSecret: values['jwt-secret'] };
  const world = await enter(caller, target);
  const again = [
    `npx flagsvc-conformance server --url ${url} --admin-email ${adminEmail} --admin-password …`,
    ...(target.jwtSecret === undefined ? [] : ['--jwt-secret …']),
    ...(values.spec === undefined ? [] : [`--spec ${values.spec}`]),
    ...(values.adapter === undefined ? [] : [`--adapter ${quote(values.adapter)}`]),
    ...(['sequences', 'sequence-length'] as const)
      .filter((name) => values[name] !== OPTIONS[name].default)
      .map((name) => `--${name} ${values[name]}`),
  ].join(' ');
  const recorder = createRecorder(outputs, {
    suite: { ...suite, requirements: loadAllRequirements(suite) },
    implementation: await identify(values.name, caller),
    planned: plan.scenarios.length + plan.vectors.length + plan.sequences.length + plan.last.length,
    partial: selection.partial || every > 1 || values['without-limits'],
    parts: ['server'],
    expectedFailures,
    repeat: (id) => `${again} --only ${id}`,
  });
  const peer = await openPeer(values.adapter);
  for (const scenario of plan.scenarios) recorder.caseDone(await runServerScenario(world, scenario));
  for (const vector of plan.vectors) recorder.caseDone(await runServerVector(world, vector));
  for (const sequence of plan.sequences) recorder.caseDone(await runSequence(world, sequence, peer));
  await peer?.close();
  // What uses limits up comes last.
  for (const scenario of plan.last) recorder.caseDone(await runServerScenario(world, scenario));
  return recorder.end().good ? 0 : 1;
};

/** The implementation that has to decide as the server does, if one is named. */
const openPeer = async (adapter: string | undefined): Promise<Session | undefined> => {
  if (adapter === undefined) return undefined;
  const target = { adapter, timeout: TARGET_OPTIONS.timeout.default };
  const { session } = await open(target);
  await greet(session, target);
  return session;
};

/** A server that cannot be entered is not the suite's to judge: the message says what to look at. */
const enter = async (caller: Caller, target: ServerTarget): Promise<World> => {
  try {
    await holdToContract(caller);
    return await enterWorld(caller, target);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

const choose = (
  suite: Suite,
  selection: ReturnType<typeof createSelection>,
  sizes: {
    readonly every: number;
    readonly sequences: number;
    readonly length: number;
    readonly limits: boolean;
  },
) => {
  const { scenarios } = loadServerScenarios(suite.directory, suite.version);
  const isLimit = (group: string) => group === 'server/LIMITS';
  return {
    scenarios: scenarios.filter((one) => !isLimit(one.group) && selection.has(one)),
    last: scenarios.filter((one) => sizes.limits && isLimit(one.group) && selection.has(one)),
    vectors: suite.vectors.filter(
      (vector, at) => at % sizes.every === 0 && selection.has(serverVectorHead(vector)),
    ),
    sequences: Array.from({ length: sizes.sequences }, (_, at) => ({
      seed: at + 1,
      length: sizes.length,
    })).filter((sequence) => selection.has(sequenceHead(sequence))),
  };
};

/** What the server says of itself in its document. */
const identify = async (name: string, caller: Caller): Promise<Implementation> => {
  const { body } = await caller.send({ method: 'GET', path: '/openapi.json', root: true });
  const { info } = (body ?? {}) as { info?: { version?: string } };
  return { name, version: info?.version ?? 'unknown', runtime: 'over HTTP' };
};
