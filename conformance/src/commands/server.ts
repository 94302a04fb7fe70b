import type { Session } from '../adapter/session.ts';
import { createRecorder } from '../report/recorder.ts';
import type { Implementation } from '../report/results.ts';
import { loadServerScenarios } from '../scenarios/load.ts';
import { checkAgainstOpenapi } from '../server/check-openapi.ts';
import { createHttpClient, type HttpClient } from '../server/http-client.ts';
import { runSequence, sequenceHead } from '../server/run-sequence.ts';
import { runServerScenario } from '../server/run-server-scenario.ts';
import { runServerVector, serverVectorHead } from '../server/run-server-vector.ts';
import { connectToServer, type ServerTarget, type TestedServer } from '../server/tested-server.ts';
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
import { PROGRAM_NAME } from './program-name.ts';
import { helloOf, openTarget, quote, TARGET_OPTIONS } from './target.ts';

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

/** `server`: runs the cases against a running server and returns the exit code. */
export const server = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, OPTIONS);
  const { url, 'admin-email': adminEmail, 'admin-password': adminPassword } = values;
  if (url === undefined || adminEmail === undefined || adminPassword === undefined) {
    throw new UsageError('give --url http://host/api/v1 --admin-email --admin-password');
  }
  if (!/^https?:/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError(`--url ${url} is not a URL such as http://127.0.0.1:8000/api/v1`);
  }
  const outputs = toOutputs(values);
  const suite = loadEdition(values.spec);
  const selection = createSelection(values.only);
  const every = toNumber(values, 'vectors-every', { min: 1, integer: true });
  const plan = planCases(suite, selection, {
    every,
    sequences: toNumber(values, 'sequences', { min: 0, max: 999, integer: true }),
    length: toNumber(values, 'sequence-length', { min: 1, integer: true }),
    limits: !values['without-limits'],
  });
  selection.check();
  const expectedFailures = readExpectedFailures(values['expected-failures']);
  const http = createHttpClient(url, (text) => void process.stderr.write(text));
  const target = { url, adminEmail, adminPassword, jwtSecret: values['jwt-secret'] };
  const tested = await connect(http, target);
  const repeatCommand = [
    `${PROGRAM_NAME} server --url ${url} --admin-email ${adminEmail} --admin-password …`,
    ...(target.jwtSecret === undefined ? [] : ['--jwt-secret …']),
    ...(values.spec === undefined ? [] : [`--spec ${values.spec}`]),
    ...(values.adapter === undefined ? [] : [`--adapter ${quote(values.adapter)}`]),
    ...(['sequences', 'sequence-length'] as const)
      .filter((name) => values[name] !== OPTIONS[name].default)
      .map((name) => `--${name} ${values[name]}`),
  ].join(' ');
  const recorder = createRecorder(outputs, {
    suite: { ...suite, requirements: loadAllRequirements(suite) },
    implementation: await describe(values.name, http),
    planned: plan.scenarios.length + plan.vectors.length + plan.sequences.length + plan.last.length,
    partial: selection.partial || every > 1 || values['without-limits'],
    parts: ['server'],
    expectedFailures,
    repeat: (id) => `${repeatCommand} --only ${id}`,
  });
  const otherEvaluator = await openEvaluator(values.adapter);
  for (const scenario of plan.scenarios) recorder.caseDone(await runServerScenario(tested, scenario));
  for (const vector of plan.vectors) recorder.caseDone(await runServerVector(tested, vector));
  for (const sequence of plan.sequences)
    recorder.caseDone(await runSequence(tested, sequence, otherEvaluator));
  await otherEvaluator?.close();
  // These use up rate limits, so they run last.
  for (const scenario of plan.last) recorder.caseDone(await runServerScenario(tested, scenario));
  return recorder.end().good ? 0 : 1;
};

/** Opens the evaluator that must give the server's results, if `--adapter` names one. */
const openEvaluator = async (adapter: string | undefined): Promise<Session | undefined> => {
  if (adapter === undefined) return undefined;
  const target = { adapter, timeout: TARGET_OPTIONS.timeout.default };
  const { session } = await openTarget(target);
  await helloOf(session, target);
  return session;
};

/** Connects to the server and creates what all cases need. A failure is an error of usage, not of the server. */
const connect = async (http: HttpClient, target: ServerTarget): Promise<TestedServer> => {
  try {
    await checkAgainstOpenapi(http);
    return await connectToServer(http, target);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

const planCases = (
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

/** Describes the server by its OpenAPI document. */
const describe = async (name: string, http: HttpClient): Promise<Implementation> => {
  const { body } = await http.send({ method: 'GET', path: '/openapi.json', root: true });
  const { info } = (body ?? {}) as { info?: { version?: string } };
  return { name, version: info?.version ?? 'unknown', runtime: 'over HTTP' };
};
