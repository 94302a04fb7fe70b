import { performance } from 'node:perf_hooks';
import { EXTRAS, type Hello } from '../adapter/messages.ts';
import type { Adapter, Session } from '../adapter/session.ts';
import type { CaseResult, Problem } from '../report/results.ts';
import type { SeenRequest } from '../scripted-server/scripted-server.ts';
import { brief } from '../suite/json-value.ts';
import { faultsOfBatch } from './event-batch.ts';
import { type LoadedScenario, scenarioHead } from './load.ts';
import { describeRequest, runStep } from './run-step.ts';
import {
  createScenarioState,
  type ScenarioOptions,
  type ScenarioState,
  StepCrash,
  StepFailure,
  StepSkipped,
  timeOf,
} from './scenario-state.ts';

/** Factor by which a scenario that failed in scaled time is slowed down for its repetition. */
const SLOWDOWN = 5;
/** How late a client may be in the repetition, in real time. */
const REPEAT_LATE_MS = 1_000;

/**
 * Runs one scenario against the adapter. In scaled time, a busy machine can make a good client late, so a scenario that
 * fails in scaled time is repeated more slowly, and only the repetition counts (decisions/0043).
 */
export const runScenario = async (
  adapter: Adapter,
  scenario: LoadedScenario,
  options: ScenarioOptions,
): Promise<CaseResult> => {
  const first = await runOnce(adapter, scenario, options);
  if (first.outcome !== 'fail' || timeOf(scenario, adapter.hello) !== 'scaled') return first;
  const second = await runOnce(adapter, scenario, {
    scale: Math.min(1, options.scale * SLOWDOWN),
    lateMs: REPEAT_LATE_MS,
  });
  return { ...second, ms: first.ms + second.ms };
};

const runOnce = async (
  { session, hello }: Adapter,
  scenario: LoadedScenario,
  options: ScenarioOptions,
): Promise<CaseResult> => {
  const started = performance.now();
  const head = scenarioHead(scenario);
  const done = (rest: Partial<CaseResult> & Pick<CaseResult, 'outcome'>): CaseResult => ({
    ...head,
    problems: [],
    ms: performance.now() - started,
    ...rest,
  });
  const gap = gapOf(hello, scenario);
  if (gap) return done(gap);
  const kind = timeOf(scenario, hello);
  if (!kind) return done({ outcome: 'skip', reason: 'the adapter has no virtual clock' });
  let state: ScenarioState | undefined;
  let at = 0;
  try {
    state = await createScenarioState(session, scenario, { kind, ...options });
    for (const step of scenario.steps) {
      at++;
      await runStep(step, state);
    }
    at++;
    const problems = checkInvariants(state);
    return done({
      outcome: problems.length ? 'fail' : 'pass',
      problems,
      ...(problems.length && { log: logOf(state) }),
    });
  } catch (error) {
    const step = scenario.steps[at - 1];
    return done({
      ...resultOf(error, `step ${at} ${step ? brief(step, 200) : ''}`.trim()),
      log: logOf(state, session),
    });
  } finally {
    await state?.close();
  }
};

/** Why the scenario cannot run with this adapter; undefined if it can. */
const gapOf = (
  { capabilities, inapplicable = {} }: Hello,
  { needs = [] }: LoadedScenario,
): Pick<CaseResult, 'outcome' | 'reason'> | undefined => {
  const gap = ['polling', ...needs].find((name) => !capabilities.includes(name));
  if (gap === undefined) return undefined;
  if (Object.hasOwn(inapplicable, gap)) return { outcome: 'inapplicable', reason: inapplicable[gap]! };
  if (EXTRAS.includes(gap)) {
    return { outcome: 'inapplicable', reason: `"${gap}" is an extra that the adapter does not claim` };
  }
  return { outcome: 'skip', reason: `the adapter has no capability "${gap}"` };
};

const resultOf = (error: unknown, where: string): Pick<CaseResult, 'outcome'> & Partial<CaseResult> => {
  const { message } = error as Error;
  if (error instanceof StepSkipped) return { outcome: 'skip', reason: message };
  if (error instanceof StepCrash) return { outcome: 'crash', reason: `${where}: ${message}` };
  const { expected, actual } = error instanceof StepFailure ? error : {};
  return {
    outcome: 'fail',
    problems: [
      {
        where,
        message,
        ...(expected !== undefined && { expected }),
        ...(actual !== undefined && { actual }),
      },
    ],
  };
};

/** What must hold after every scenario. */
const checkInvariants = (state: ScenarioState): Problem[] => {
  const { requests } = state.server;
  const problemOf = (message: string, request?: SeenRequest): Problem => ({
    where: 'always',
    message,
    ...(request && { actual: describeRequest(request) }),
  });
  const problems: Problem[] = [];
  const overlapping = requests.find((request) => request.overlapping && request.endpoint === 'ruleset');
  if (overlapping && !state.isForked)
    problems.push(problemOf('two fetches of one client overlapped', overlapping));
  const withoutKey = requests.find(
    ({ endpoint, key }) => endpoint !== 'elsewhere' && !state.keys.has(key ?? ''),
  );
  if (withoutKey) problems.push(problemOf("a request without its client's X-API-Key", withoutKey));
  for (const request of requests.filter(({ endpoint }) => endpoint === 'events')) {
    const faults = faultsOfBatch(request.body);
    if (faults === undefined) continue;
    problems.push(problemOf(`a batch violates schema/event-batch.schema.json: ${faults}`, request));
    break;
  }
  const log = state.session.takeLog();
  for (const key of state.keys) {
    if (key === '') continue;
    for (const request of requests.filter((one) => leaksKey(one, key)))
      problems.push(problemOf('the key is in a request outside X-API-Key', request));
    if (state.notifications.some((text) => text.includes(key)))
      problems.push(problemOf('the key is in a notification or an error message'));
    if (log.includes(key)) problems.push(problemOf('the key is in the log'));
  }
  return problems;
};

const leaksKey = ({ path, bytes, headers }: SeenRequest, key: string): boolean =>
  path.includes(key) ||
  bytes.includes(key) ||
  Object.entries(headers).some(([name, value]) => name !== 'x-api-key' && String(value).includes(key));

/** The last requests and the adapter's own output. */
const logOf = (state: ScenarioState | undefined, session?: Session): string => {
  const requests = state?.server.requests ?? [];
  const omitted = requests.length > 40 ? [`… ${requests.length - 40} earlier requests`] : [];
  const listed = requests.slice(-40).map(describeRequest);
  return [...omitted, ...listed, session?.takeLog() ?? ''].filter(Boolean).join('\n');
};
