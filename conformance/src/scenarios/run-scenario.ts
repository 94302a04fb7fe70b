import { performance } from 'node:perf_hooks';
import { EXTRAS, type Hello } from '../adapter/messages.ts';
import type { Session } from '../adapter/session.ts';
import type { CaseResult, Problem } from '../report/results.ts';
import { brief } from '../suite/json-value.ts';
import { faultsOfBatch } from './event-batch.ts';
import { type LoadedScenario, scenarioHead } from './load.ts';
import { outline, playStep } from './run-step.ts';
import {
  createStage,
  type ScenarioOptions,
  type Stage,
  StepCrash,
  StepFailure,
  StepSkipped,
  timeOf,
} from './scenario-state.ts';

/** How much slower a scenario is played that failed in a hurry. */
const SLOWER = 5;
/** How late a client may be then, in real time. */
const PATIENT_MS = 1_000;

/**
 * Plays one scenario against the adapter. In scaled time a busy machine can make a good client late: what fails there
 * is played once more, slower, and only that counts (decisions/0043).
 */
export const runScenario = async (
  session: Session,
  hello: Hello,
  scenario: LoadedScenario,
  options: ScenarioOptions,
): Promise<CaseResult> => {
  const first = await playScenario(session, hello, scenario, options);
  if (first.outcome !== 'fail' || timeOf(scenario, hello) !== 'scaled') return first;
  const second = await playScenario(session, hello, scenario, {
    scale: Math.min(1, options.scale * SLOWER),
    lateMs: PATIENT_MS,
  });
  return { ...second, ms: first.ms + second.ms };
};

const playScenario = async (
  session: Session,
  hello: Hello,
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
  if (!kind) return done({ outcome: 'skip', reason: 'the adapter has no clock to move' });
  let stage: Stage | undefined;
  let at = 0;
  try {
    stage = await createStage(session, scenario, kind, options);
    for (const step of scenario.steps) {
      at++;
      await playStep(step, stage);
    }
    at++;
    const problems = await checkAlways(stage);
    return done({
      outcome: problems.length ? 'fail' : 'pass',
      problems,
      ...(problems.length && { log: logOf(stage) }),
    });
  } catch (error) {
    const step = scenario.steps[at - 1];
    return done({
      ...judge(error, `step ${at} ${step ? brief(step, 200) : ''}`.trim()),
      log: logOf(stage, session),
    });
  } finally {
    await stage?.close();
  }
};

/** Why it cannot be asked, if it cannot. */
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

const judge = (error: unknown, where: string): Pick<CaseResult, 'outcome'> & Partial<CaseResult> => {
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

/** What must hold in every scenario, whatever it is about. */
const checkAlways = async ({ plane, keys, told, session, forked }: Stage): Promise<Problem[]> => {
  const problems: Problem[] = [];
  const overlapping = plane.requests.find((request) => request.overlapping && request.endpoint === 'ruleset');
  if (overlapping && !forked) {
    problems.push({
      where: 'always',
      message: 'two fetches of one client overlapped',
      actual: outline(overlapping),
    });
  }
  const bare = plane.requests.find(({ endpoint, key }) => endpoint !== 'elsewhere' && !keys.has(key ?? ''));
  if (bare) {
    problems.push({
      where: 'always',
      message: 'a request without the X-API-Key of its client',
      actual: outline(bare),
    });
  }
  for (const request of plane.requests.filter(({ endpoint }) => endpoint === 'events')) {
    const faults = faultsOfBatch(request.body);
    if (faults === undefined) continue;
    problems.push({
      where: 'always',
      message: `a batch is not as schema/event-batch.schema.json says: ${faults}`,
      actual: outline(request),
    });
    break;
  }
  const log = session.takeLog();
  for (const key of keys) {
    if (key === '') continue;
    const leaks = plane.requests.filter(
      ({ path, bytes, headers }) =>
        path.includes(key) ||
        bytes.includes(key) ||
        Object.entries(headers).some(([name, value]) => name !== 'x-api-key' && String(value).includes(key)),
    );
    for (const request of leaks) {
      problems.push({
        where: 'always',
        message: 'the key is in a request, outside X-API-Key',
        actual: outline(request),
      });
    }
    if (told.some((text) => text.includes(key))) {
      problems.push({ where: 'always', message: 'the key is in what listeners and loggers are told' });
    }
    if (log.includes(key)) problems.push({ where: 'always', message: 'the key is in the log' });
  }
  return problems;
};

const logOf = (stage: Stage | undefined, session?: Session): string => {
  const requests = stage?.plane.requests ?? [];
  const listed = requests.slice(-40).map(outline);
  const cut = requests.length > 40 ? [`… ${requests.length - 40} requests before`] : [];
  return [...cut, ...listed, session?.takeLog() ?? ''].filter(Boolean).join('\n');
};
