import { performance } from 'node:perf_hooks';
import type { CaseResult, Problem } from '../report/results.ts';
import { type LoadedServerScenario, scenarioHead } from '../scenarios/load.ts';
import { brief } from '../suite/json-value.ts';
import { fill, type Kept, match } from '../suite/matcher.ts';
import type { ServerAnswer, ServerCall } from './http-client.ts';
import { expireToken, type World } from './tested-server.ts';
import type { ServerStep } from './types.ts';

/** Plays one scenario against the server. */
export const runServerScenario = async (
  world: World,
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
  if (needs.includes('fresh') && !world.fresh) {
    return done({ outcome: 'skip', reason: 'somebody had registered before' });
  }
  if (needs.includes('jwt-secret') && world.target.jwtSecret === undefined) {
    return done({ outcome: 'skip', reason: 'an expired token can only be made with --jwt-secret' });
  }
  const kept = createKept(world);
  const log: string[] = [];
  world.caller.takeFaults();
  for (const [at, step] of steps.entries()) {
    const where = `step ${at + 1} ${step.call}`;
    try {
      const problems = await playStep(step, world, kept, log);
      const faults = world.caller.takeFaults().map((message): Problem => ({ where, message }));
      const all = [...problems.map((problem) => ({ where, ...problem })), ...faults];
      if (all.length) return done({ outcome: 'fail', problems: all, log: log.slice(-20).join('\n') });
    } catch (error) {
      return done({
        outcome: 'crash',
        reason: `${where}: ${(error as Error).message}`,
        log: log.slice(-20).join('\n'),
      });
    }
  }
  return done({ outcome: 'pass' });
};

const createKept = (world: World): Kept =>
  new Map<string, unknown>([
    ['run', world.run],
    ['unique', world.unique('case')],
    ['project_id', world.projectId],
    ['environment_id', world.development.environmentId],
    ['other_environment_id', world.staging.environmentId],
    ['key', world.development.key],
    ['other_key', world.staging.key],
    ['admin_email', world.target.adminEmail],
    ['admin_password', world.target.adminPassword],
    ['admin_registration', world.registration.body],
  ]);

const playStep = async (
  step: ServerStep,
  world: World,
  kept: Kept,
  log: string[],
): Promise<Omit<Problem, 'where'>[]> => {
  const { call, as = 'admin', expect = {}, times = 1, untilLimited } = step;
  const [method = '', path = ''] = String(fill(call, kept)).split(' ');
  if (method === 'EXPIRE') {
    // No request: makes the token that the server would have thought expired.
    kept.set('expired', expireToken(String(kept.get(path)), world.target.jwtSecret!));
    return [];
  }
  if (method === 'KEPT') {
    const body = kept.get(path);
    return judge({ status: 0, headers: {}, body, text: JSON.stringify(body) }, expect, kept, 1);
  }
  const request: ServerCall = {
    method,
    path,
    ...(step.root && { root: true }),
    ...(step.query && { query: fill(step.query, kept) as Record<string, unknown> }),
    ...(step.headers && { headers: fill(step.headers, kept) as Record<string, string> }),
    ...(step.body !== undefined && { body: fill(step.body, kept) }),
  };
  const who = String(fill(as, kept));
  let count = 0;
  for (;;) {
    const answer = await world.as(who, request, untilLimited !== undefined);
    count++;
    log.push(
      `${method} ${path} ${request.body === undefined ? '' : brief(request.body, 200)} → ${answer.status} ${brief(answer.body, 300)}`,
    );
    if (untilLimited !== undefined && answer.status !== 429 && count < untilLimited) continue;
    const problems = judge(answer, expect, kept, count);
    if (problems.length || untilLimited !== undefined || count >= times) return problems;
  }
};

const judge = (
  answer: ServerAnswer,
  { status, body, headers = {}, requests }: NonNullable<ServerStep['expect']>,
  kept: Kept,
  count: number,
): Omit<Problem, 'where'>[] => {
  const wrong: string[] = [];
  if (status !== undefined && ![status].flat().includes(answer.status)) {
    wrong.push(`the status is ${answer.status}, not ${[status].flat().join(' or ')}`);
  }
  if (body === null && answer.text !== '') wrong.push('there is a body');
  if (body !== undefined && body !== null) wrong.push(...match(fill(body, kept), answer.body, kept));
  for (const [name, expected] of Object.entries(headers)) {
    const raw = answer.headers[name];
    const actual = raw !== undefined && /^\d+$/.test(raw) ? Number(raw) : raw;
    wrong.push(...match(fill(expected, kept), actual, kept, `header ${name}`));
  }
  if (requests !== undefined) wrong.push(...match(requests, count, kept, 'the number of requests'));
  return wrong.map((message, at) => ({
    message,
    ...(at === 0 && { expected: { status, body }, actual: { status: answer.status, body: answer.body } }),
  }));
};
