import { runRelayScenario } from '../relay/run-relay-scenario.ts';
import { createRecorder } from '../report/recorder.ts';
import type { RunReport } from '../report/results.ts';
import { loadRelayScenarios, loadScenarios, scenarioHead } from '../scenarios/load.ts';
import { runScenario } from '../scenarios/run-scenario.ts';
import { loadProfiles, type Profile } from '../suite/profiles.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import { bucketHead, runBuckets } from '../vectors/run-buckets.ts';
import { runVector, vectorHead } from '../vectors/run-vectors.ts';
import { createFailedCases, idsOfFailed } from './failed-cases.ts';
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
import { createSourceWatcher } from './watch.ts';

const SUITES = ['vectors', 'sdk', 'relay'] as const;
/** A relay is tested only on request, because few adapters start one. */
const DEFAULT_SUITES: readonly string[] = ['vectors', 'sdk'];

const OPTIONS = {
  ...OUTPUT_OPTIONS,
  ...TARGET_OPTIONS,
  suite: { type: 'string', multiple: true },
  profile: { type: 'string' },
  failed: { type: 'boolean', default: false },
  watch: { type: 'string', multiple: true },
  slack: { type: 'string', default: '10' },
  scale: { type: 'string', default: '0.02' },
  long: { type: 'boolean', default: false },
  spec: { type: 'string' },
  'without-clock': { type: 'boolean', default: false },
} as const;

const parseRun = (args: readonly string[]) => parseOptions(args, OPTIONS).values;

type Values = ReturnType<typeof parseRun>;

/** `run`: runs the cases against an adapter and returns the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  const plan = planRun(parseRun(args));
  if (plan.values.watch) return watchAndRun(plan, plan.values.watch);
  if (!plan.values.failed) return (await runCases(plan)).good ? 0 : 1;
  const failed = plan.failedCases.read();
  if (failed.size === 0) {
    process.stdout.write('no case failed when this adapter was last tested\n');
    return 0;
  }
  return (await runCases(plan, failed)).good ? 0 : 1;
};

/** Everything that a run needs, checked. */
const planRun = (values: Values) => {
  const outputs = toOutputs(values);
  const suites = new Set<string>(values.suite ?? DEFAULT_SUITES);
  for (const name of suites) {
    if (!(SUITES as readonly string[]).includes(name))
      throw new UsageError(`--suite is ${SUITES.join(' or ')}`);
  }
  const limits = {
    slack: toNumber(values, 'slack', { min: 0.1 }),
    scale: toNumber(values, 'scale', { min: 0.001, max: 1 }),
  };
  const suite = loadEdition(values.spec);
  const profiles = loadProfiles(suite.directory);
  const profile = findProfile(profiles, values.profile);
  const adapter = commandToRepeat('run', values);
  const repeat = [
    adapter,
    ...(values.spec === undefined ? [] : [`--spec ${values.spec}`]),
    ...(values['without-clock'] ? ['--without-clock'] : []),
  ].join(' ');
  return {
    values,
    outputs,
    suite,
    limits,
    profiles,
    profile,
    repeat,
    parts: SUITES.filter((name) => suites.has(name)),
    failedCases: createFailedCases(adapter),
    expectedFailures: readExpectedFailures(values['expected-failures']),
  };
};

type RunPlan = ReturnType<typeof planRun>;

const findProfile = (profiles: readonly Profile[], name: string | undefined): Profile | undefined => {
  const found = profiles.find((profile) => profile.name === name);
  if (name === undefined || found) return found;
  throw new UsageError(`--profile is ${profiles.map((profile) => profile.name).join(', ')}`);
};

/** Selects the cases of the plan; with `ids`, only these. Throws a UsageError if a value of `--only` names no case. */
const selectCases = ({ values, suite, parts, profile }: RunPlan, ids: ReadonlySet<string> | undefined) => {
  const selection = createSelection(values.only);
  const isSelected = (head: Parameters<typeof selection.has>[0]): boolean =>
    selection.has(head) && profile?.contains(head.group) !== false && ids?.has(head.id) !== false;
  const isIn = (part: (typeof SUITES)[number]) => parts.includes(part);
  const cases = {
    partial: selection.partial || ids !== undefined,
    vectors: isIn('vectors') ? suite.vectors.filter((vector) => isSelected(vectorHead(vector))) : [],
    buckets: isIn('vectors') ? suite.buckets.filter((row) => isSelected(bucketHead(row))) : [],
    scenarios: isIn('sdk')
      ? loadScenarios(suite.directory, suite.version).scenarios.filter(
          (one) => isSelected(scenarioHead(one)) && (!one.long || values.long || selection.names(one.id)),
        )
      : [],
    relayScenarios: isIn('relay')
      ? loadRelayScenarios(suite.directory, suite.version).scenarios.filter((one) =>
          isSelected(scenarioHead(one)),
        )
      : [],
  };
  selection.check();
  return cases;
};

/** Runs the selected cases; with `ids`, only these. */
const runCases = async (
  plan: RunPlan,
  ids?: ReadonlySet<string>,
): Promise<{ readonly report: RunReport; readonly good: boolean }> => {
  const { values, suite, limits, failedCases } = plan;
  const { vectors, buckets, scenarios, relayScenarios, partial } = selectCases(plan, ids);
  const target = await openTarget(values);
  try {
    const adapter = await greet(target.session, values);
    const recorder = createRecorder(plan.outputs, {
      ...plan,
      suite: { ...suite, requirements: loadAllRequirements(suite) },
      implementation: adapter.hello,
      planned: vectors.length + buckets.length + scenarios.length + relayScenarios.length,
      partial,
      repeat: (id) => `${plan.repeat} --only ${id}`,
    });
    for (const vector of vectors) recorder.caseDone(await runVector(adapter, vector, limits));
    await runBuckets(adapter, buckets, recorder.caseDone);
    for (const scenario of scenarios) recorder.caseDone(await runScenario(adapter, scenario, limits));
    for (const scenario of relayScenarios) recorder.caseDone(await runRelayScenario(adapter, scenario));
    const ended = recorder.end();
    failedCases.update(ended.report.cases);
    return ended;
  } finally {
    await target.close();
  }
};

/** Sends `hello`. With `--without-clock`, the adapter's virtual clock is ignored. */
const greet = async (session: Parameters<typeof helloOf>[0], values: Values) => {
  const hello = await helloOf(session, values);
  const capabilities = hello.capabilities.filter((name) => name !== 'clock');
  return { session, hello: values['without-clock'] ? { ...hello, capabilities } : hello };
};

/**
 * Runs again after each change of a file: first the cases that failed, and when these pass, all selected cases. Ends with
 * the process.
 */
const watchAndRun = async (plan: RunPlan, directories: readonly string[]): Promise<never> => {
  const watcher = createSourceWatcher(directories);
  let failed: ReadonlySet<string> = plan.values.failed ? plan.failedCases.read() : new Set();
  for (;;) {
    try {
      failed = await runFailedFirst(plan, failed);
    } catch (error) {
      // While its code is being edited, an adapter may not start.
      process.stderr.write(`${(error as Error).message}\n`);
    }
    process.stderr.write(`waiting for changes in ${directories.join(', ')}; Ctrl+C ends\n`);
    await watcher.changed();
  }
};

/** Returns the ids of the cases that fail now. */
const runFailedFirst = async (plan: RunPlan, failed: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
  if (failed.size > 0) {
    const stillFailing = idsOfFailed((await runCases(plan, failed)).report.cases);
    if (stillFailing.size > 0) return stillFailing;
  }
  return idsOfFailed((await runCases(plan)).report.cases);
};
