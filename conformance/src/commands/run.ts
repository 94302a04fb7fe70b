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
import { greet, open, repeatOf, TARGET_OPTIONS } from './target.ts';

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

/** `run`: asks an adapter everything and gives the exit code. */
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
  /** What a repetition needs, too. */
  const kept = [
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
  const opened = await open(values);
  try {
    const { session } = opened;
    const said = await greet(session, values);
    const hello = values['without-clock']
      ? { ...said, capabilities: said.capabilities.filter((name) => name !== 'clock') }
      : said;
    const recorder = createRecorder(outputs, {
      suite: { ...suite, requirements: loadAllRequirements(suite) },
      implementation: hello,
      planned: vectors.length + buckets.length + scenarios.length,
      partial: selection.partial,
      parts: SUITES.filter((name) => suites.has(name)),
      expectedFailures,
      repeat: (id) => `${[repeatOf('run', values), ...kept].join(' ')} --only ${id}`,
    });
    for (const vector of vectors) recorder.caseDone(await runVector(session, hello, vector, options));
    await runBuckets(session, hello, buckets, recorder.caseDone);
    for (const scenario of scenarios) recorder.caseDone(await runScenario(session, hello, scenario, options));
    return recorder.end().good ? 0 : 1;
  } finally {
    await opened.close();
  }
};
