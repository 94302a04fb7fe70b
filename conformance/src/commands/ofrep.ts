import { createOfrepTarget, OFREP_PARTS } from '../ofrep/ofrep-target.ts';
import { createRecorder } from '../report/recorder.ts';
import { loadOfrepScenarios } from '../scenarios/load.ts';
import { runRequestScenario } from '../server/run-server-scenario.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import {
  createSelection,
  loadEdition,
  OUTPUT_OPTIONS,
  parseOptions,
  readExpectedFailures,
  toOutputs,
  UsageError,
} from './options.ts';
import { PROGRAM_NAME } from './program-name.ts';

const OPTIONS = {
  ...OUTPUT_OPTIONS,
  url: { type: 'string' },
  key: { type: 'string' },
  name: { type: 'string', default: 'ofrep-server' },
  'server-version': { type: 'string', default: 'unknown' },
  without: { type: 'string', multiple: true },
  spec: { type: 'string' },
} as const;

/** A flag of `ofrep/flags.json`; its absence means that the flags were not loaded. */
const PROBE = '/flags/ofrep-true';

/** `ofrep`: tests a server of OpenFeature's remote evaluation protocol and returns the exit code. */
export const ofrep = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, OPTIONS);
  const { url, key } = values;
  if (url === undefined) throw new UsageError('give --url http://host and, if the server wants one, --key');
  if (!/^https?:/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(`--url ${url} is not a URL such as http://127.0.0.1:8000`);
  const without = new Set(values.without?.flatMap((text) => text.split(',')));
  const unknown = [...without].find((name) => !(OFREP_PARTS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new UsageError(`--without ${unknown}: it is ${OFREP_PARTS.join(', ')}`);
  if (without.has('x-api-key') && without.has('bearer') && key !== undefined)
    throw new UsageError('--key needs a header: leave out only one of x-api-key and bearer');
  const outputs = toOutputs(values);
  const expectedFailures = readExpectedFailures(values['expected-failures']);
  const suite = loadEdition(values.spec);
  const selection = createSelection(values.only);
  const scenarios = loadOfrepScenarios(suite.directory, suite.version).scenarios.filter(selection.has);
  selection.check();
  const target = createOfrepTarget({ url, key, without }, suite.directory);
  await requireFlags(target);
  const options = [
    ...(key === undefined ? [] : ['--key …']),
    ...(without.size ? [`--without ${[...without].join(',')}`] : []),
    ...(values.spec === undefined ? [] : [`--spec ${values.spec}`]),
  ];
  const recorder = createRecorder(outputs, {
    suite: { ...suite, requirements: loadAllRequirements(suite) },
    implementation: { name: values.name, version: values['server-version'], runtime: 'over HTTP' },
    planned: scenarios.length,
    partial: selection.partial,
    parts: ['ofrep'],
    expectedFailures,
    repeat: (id) => [PROGRAM_NAME, 'ofrep --url', url, ...options, '--only', id].join(' '),
  });
  for (const scenario of scenarios) recorder.caseDone(await runRequestScenario(target, scenario));
  return recorder.end().good ? 0 : 1;
};

/** Throws a UsageError if the server cannot be reached, refuses the key, or lacks the flags. */
const requireFlags = async (target: ReturnType<typeof createOfrepTarget>): Promise<void> => {
  const body = { context: { targetingKey: 'user-1' } };
  const { status } = await target
    .as(target.sender, { method: 'POST', path: PROBE, body })
    .catch((error: Error) => {
      throw new UsageError(error.message);
    });
  if (status === 401 || status === 403) throw new UsageError(`the server answered ${status}: give its --key`);
  if (status === 404)
    throw new UsageError('the server does not know the flag ofrep-true: load ofrep/flags.json into it first');
};
