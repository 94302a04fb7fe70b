import { createRecorder } from '../report/recorder.ts';
import { loadScenarios, scenarioHead } from '../scenarios/load.ts';
import { runScenario } from '../scenarios/run-scenario.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import { bucketHead, runBuckets } from '../vectors/run-buckets.ts';
import { runVector, vectorHead } from '../vectors/run-vectors.ts';
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
import { commandToRepeat, helloOf, openTarget, TARGET_OPTIONS } from './target.ts';

const SUITES = ['vectors', 'sdk'] as const;

const OPTIONS = {
  ...OUTPUT_OPTIONS,
  ...TARGET_OPTIONS,
  suite: { type: 'string', multiple: true },
  slack: { type: 'string', default: '10' },
  scale: { type: 'string', default: '0.02' },
  long: { type: 'boolean', default: false },
  spec: { type: 'string' },
  'without-clock': { type: 'boolean', default: false },
} as const;

const parseRun = (args: readonly string[]) => parseOptions(args, OPTIONS).values;

/** `run`: runs the cases against an adapter and returns the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  const values = parseRun(args);
  const outputs = toOutputs(values);
  const suites = new Set<string>(values.suite ?? SUITES);
  for (const name of suites) {
    if (!(SUITES as readonly string[]).includes(name))
      throw new UsageError(`--suite is ${SUITES.join(' or ')}`);
  }
  const options = {
    slack: toNumber(values, 'slack', { min: 0.1 }),
    scale: toNumber(values, 'scale', { min: 0.001, max: 1 }),
  };
  const suite = loadEdition(values.spec);
  /** Options that the command to repeat a case needs, too. */
  const repeatOptions = [
    ...(values.spec === undefined ? [] : [`--spec ${values.spec}`]),
    ...(values['without-clock'] ? ['--without-clock'] : []),
  ];
  const selection = createSelection(values.only);
  const vectors = suites.has('vectors')
    ? suite.vectors.filter((vector) => selection.has(vectorHead(vector)))
    : [];
  const buckets = suites.has('vectors') ? suite.buckets.filter((row) => selection.has(bucketHead(row))) : [];
  const loaded = loadScenarios(suite.directory, suite.version);
  const scenarios = suites.has('sdk')
    ? loaded.scenarios.filter(
        (one) => selection.has(scenarioHead(one)) && (!one.long || values.long || selection.names(one.id)),
      )
    : [];
  selection.check();
  const expectedFailures = readExpectedFailures(values['expected-failures']);
  const target = await openTarget(values);
  try {
    const { session } = target;
    const described = await helloOf(session, values);
    const hello = values['without-clock']
      ? { ...described, capabilities: described.capabilities.filter((name) => name !== 'clock') }
      : described;
    const adapter = { session, hello };
    const recorder = createRecorder(outputs, {
      suite: { ...suite, requirements: loadAllRequirements(suite) },
      implementation: hello,
      planned: vectors.length + buckets.length + scenarios.length,
      partial: selection.partial,
      parts: SUITES.filter((name) => suites.has(name)),
      expectedFailures,
      repeat: (id) => `${[commandToRepeat('run', values), ...repeatOptions].join(' ')} --only ${id}`,
    });
    for (const vector of vectors) recorder.caseDone(await runVector(adapter, vector, options));
    await runBuckets(adapter, buckets, recorder.caseDone);
    for (const scenario of scenarios) recorder.caseDone(await runScenario(adapter, scenario, options));
    return recorder.end().good ? 0 : 1;
  } finally {
    await target.close();
  }
};
