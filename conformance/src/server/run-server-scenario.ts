import { performance } from 'node:perf_hooks';
import type { CaseResult, Problem } from '../report/results.ts';
import { type LoadedServerScenario, scenarioHead } from '../scenarios/load.ts';
import { brief } from '../suite/json-value.ts';
import { match, type SavedValues, substitute } from '../suite/matcher.ts';
import type { HttpRequest, HttpResponse } from './http-client.ts';
import { expireToken, type TestedServer } from './tested-server.ts';
import type { ServerStep } from './types.ts';

/** Runs one scenario against the server. */
export const runServerScenario = async (
  server: TestedServer,
  scenario: LoadedServerScenario,
): Promise<CaseResult> => {
  const started = performance.now();
  const { needs = [], steps } = scenario;
  const done = (rest: Partial<CaseResult> & Pick<CaseResult, 'outcome'>): CaseResult => ({
    ...scenarioHead(scenario),
    problems: [],
    ms: performance.now() - started,
    ...rest,
  });
  if (needs.includes('fresh') && !server.isFresh) {
    return done({ outcome: 'skip', reason: 'the server already had users' });
  }
  if (needs.includes('jwt-secret') && server.target.jwtSecret === undefined) {
    return done({ outcome: 'skip', reason: 'creating an expired token requires --jwt-secret' });
  }
  const run: ServerRun = { server, saved: createSavedValues(server), log: [] };
  server.http.takeFaults();
  for (const [at, step] of steps.entries()) {
    const where = `step ${at + 1} ${step.call}`;
    try {
      const problems = await runStep(step, run);
      const faults = server.http.takeFaults().map((message): Problem => ({ where, message }));
      const all = [...problems.map((problem) => ({ where, ...problem })), ...faults];
      if (all.length) return done({ outcome: 'fail', problems: all, log: lastLines(run) });
    } catch (error) {
      return done({ outcome: 'crash', reason: `${where}: ${(error as Error).message}`, log: lastLines(run) });
    }
  }
  return done({ outcome: 'pass' });
};

/** A scenario that is running. */
interface ServerRun {
  readonly server: TestedServer;
  readonly saved: SavedValues;
  /** One line per request. */
  readonly log: string[];
}

const lastLines = ({ log }: ServerRun): string => log.slice(-20).join('\n');

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

const runStep = async (step: ServerStep, { server, saved, log }: ServerRun): Promise<StepProblem[]> => {
  const { call, as = 'admin', times = 1, untilLimited } = step;
  const [method = '', path = ''] = String(substitute(call, saved)).split(' ');
  if (method === 'EXPIRE') {
    saved.set('expired', expireToken(String(saved.get(path)), server.target.jwtSecret!));
    return [];
  }
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
    const response = await server.as(who, request, { retries: untilLimited === undefined });
    count++;
    const sent = request.body === undefined ? '' : brief(request.body, 200);
    log.push(`${method} ${path} ${sent} → ${response.status} ${brief(response.body, 300)}`);
    if (untilLimited !== undefined && response.status !== 429 && count < untilLimited) continue;
    const problems = problemsIn(response, step, { saved, count });
    if (problems.length || untilLimited !== undefined || count >= times) return problems;
  }
};

/** What is wrong with a response to the step. */
const problemsIn = (
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
