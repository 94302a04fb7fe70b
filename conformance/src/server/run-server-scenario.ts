import { performance } from 'node:perf_hooks';
import type { CaseResult, Problem } from '../report/results.ts';
import { type LoadedServerScenario, scenarioHead } from '../scenarios/load.ts';
import type { Loaded } from '../scenarios/types.ts';
import { brief } from '../suite/json-value.ts';
import { match, type SavedValues, substitute } from '../suite/matcher.ts';
import type { HttpRequest, HttpResponse } from './http-client.ts';
import { expireToken, type SendOptions, type TestedServer } from './tested-server.ts';
import type { RequestScenario, ServerStep } from './types.ts';

/** What a scenario of requests runs against. */
export interface RequestTarget {
  /** The sender of steps that name none. */
  readonly sender: string;
  as(who: string, request: HttpRequest, options?: SendOptions): Promise<HttpResponse>;
  /** What the checks of all responses found since the last call. */
  takeFaults(): string[];
  /** The values that steps can name from the start. */
  createSavedValues(): SavedValues;
  /** Why the target cannot run scenarios with this need; undefined if it can. */
  lacks(need: string): Pick<CaseResult, 'outcome' | 'reason'> | undefined;
  /** Steps that send no ordinary request, by their first word. They return what is wrong. */
  readonly specialSteps?: Readonly<
    Record<string, (name: string, step: ServerStep, saved: SavedValues) => Promise<readonly string[]>>
  >;
}

/** Runs one scenario against the server. */
export const runServerScenario = (
  server: TestedServer,
  scenario: LoadedServerScenario,
): Promise<CaseResult> =>
  runRequestScenario(
    {
      sender: 'admin',
      as: server.as,
      takeFaults: server.http.takeFaults,
      createSavedValues: () => createSavedValues(server),
      lacks(need) {
        if (need === 'fresh' && !server.isFresh)
          return { outcome: 'skip', reason: 'the server already had users' };
        if (need === 'jwt-secret' && server.target.jwtSecret === undefined)
          return { outcome: 'skip', reason: 'creating an expired token requires --jwt-secret' };
        return undefined;
      },
      specialSteps: {
        async EXPIRE(name, _step, saved) {
          saved.set('expired', expireToken(String(saved.get(name)), server.target.jwtSecret!));
          return [];
        },
      },
    },
    scenario,
  );

/** Runs the requests of one scenario. */
export const runRequestScenario = async (
  target: RequestTarget,
  scenario: Loaded<RequestScenario>,
): Promise<CaseResult> => {
  const started = performance.now();
  const { needs = [], steps } = scenario;
  const done = (rest: Partial<CaseResult> & Pick<CaseResult, 'outcome'>): CaseResult => ({
    ...scenarioHead(scenario),
    problems: [],
    ms: performance.now() - started,
    ...rest,
  });
  for (const need of needs) {
    const lacking = target.lacks(need);
    if (lacking) return done(lacking);
  }
  const run: RequestRun = { target, saved: target.createSavedValues(), log: [] };
  target.takeFaults();
  for (const [at, step] of steps.entries()) {
    const where = `step ${at + 1} ${step.call}`;
    try {
      const problems = await runStep(step, run);
      const faults = target.takeFaults().map((message): Problem => ({ where, message }));
      const all = [...problems.map((problem) => ({ where, ...problem })), ...faults];
      if (all.length) return done({ outcome: 'fail', problems: all, log: lastLines(run) });
    } catch (error) {
      return done({ outcome: 'crash', reason: `${where}: ${(error as Error).message}`, log: lastLines(run) });
    }
  }
  return done({ outcome: 'pass' });
};

/** A scenario that is running. */
interface RequestRun {
  readonly target: RequestTarget;
  readonly saved: SavedValues;
  /** One line per request. */
  readonly log: string[];
}

const lastLines = ({ log }: RequestRun): string => log.slice(-20).join('\n');

const createSavedValues = (server: TestedServer): SavedValues =>
  new Map<string, unknown>([
    ['run', server.run],
    ['unique', server.unique('case')],
    ['project_id', server.projectId],
    ['environment_id', server.development.environmentId],
    ['other_environment_id', server.staging.environmentId],
    ['key', server.development.key],
    ['other_key', server.staging.key],
    ['admin_email', server.target.adminEmail],
    ['admin_password', server.target.adminPassword],
    ['admin_registration', server.registration.body],
  ]);

type StepProblem = Omit<Problem, 'where'>;

const runStep = async (step: ServerStep, { target, saved, log }: RequestRun): Promise<StepProblem[]> => {
  const { call, as = target.sender, times = 1, untilLimited } = step;
  const [method = '', path = ''] = String(substitute(call, saved)).split(' ');
  const special = target.specialSteps?.[method];
  if (special) return (await special(path, step, saved)).map((message) => ({ message }));
  if (method === 'KEPT') {
    const body = saved.get(path);
    return problemsIn({ status: 0, headers: {}, body, text: JSON.stringify(body) }, step, {
      saved,
      count: 1,
    });
  }
  const request: HttpRequest = {
    method,
    path,
    ...(step.root && { root: true }),
    ...(step.query && { query: substitute(step.query, saved) as Record<string, unknown> }),
    ...(step.headers && { headers: substitute(step.headers, saved) as Record<string, string> }),
    ...(step.body !== undefined && { body: substitute(step.body, saved) }),
  };
  const who = String(substitute(as, saved));
  let count = 0;
  for (;;) {
    const response = await target.as(who, request, { retries: untilLimited === undefined });
    count++;
    const sent = request.body === undefined ? '' : brief(request.body, 200);
    log.push(`${method} ${path} ${sent} → ${response.status} ${brief(response.body, 300)}`);
    if (untilLimited !== undefined && response.status !== 429 && count < untilLimited) continue;
    const problems = problemsIn(response, step, { saved, count });
    if (problems.length || untilLimited !== undefined || count >= times) return problems;
  }
};

/** What is wrong with a response to the step. */
export const problemsIn = (
  response: HttpResponse,
  { expect = {} }: ServerStep,
  { saved, count }: { readonly saved: SavedValues; readonly count: number },
): StepProblem[] => {
  const { status, body, headers = {}, requests } = expect;
  const wrong: string[] = [];
  if (status !== undefined && ![status].flat().includes(response.status)) {
    wrong.push(`the status is ${response.status}, not ${[status].flat().join(' or ')}`);
  }
  if (body === null && response.text !== '') wrong.push('there is a body');
  if (body !== undefined && body !== null) {
    wrong.push(...match(substitute(body, saved), response.body, { saved }));
  }
  for (const [name, expected] of Object.entries(headers)) {
    const raw = response.headers[name];
    const actual = raw !== undefined && /^\d+$/.test(raw) ? Number(raw) : raw;
    wrong.push(...match(substitute(expected, saved), actual, { saved, path: `header ${name}` }));
  }
  if (requests !== undefined) {
    wrong.push(...match(requests, count, { saved, path: 'the number of requests' }));
  }
  return wrong.map((message, at) => ({
    message,
    ...(at === 0 && {
      expected: { status, body },
      actual: { status: response.status, body: response.body },
    }),
  }));
};
