import { performance } from 'node:perf_hooks';
import type { CaseHead, CaseResult, Problem } from '../report/results.ts';
import { brief, differences, sameJson } from '../suite/json-value.ts';
import type { Vector, VectorCall } from '../suite/suite.ts';
import { vectorHead } from '../vectors/run-vectors.ts';
import type { HttpRequest, HttpResponse } from './http-client.ts';
import { dataOf, type TestEnvironment, type TestedServer } from './tested-server.ts';
import {
  canEvaluate,
  type Flag,
  type Rule,
  toWritableRuleset,
  type WritableRuleset,
  wrap,
} from './writable-ruleset.ts';

/** How a vector that runs through a server appears in a report. */
export const serverVectorHead = (vector: Vector): CaseHead => ({
  ...vectorHead(vector),
  id: `${vector.id}@server`,
  group: `server/vectors/${vector.category}`,
});

/** The server refused the ruleset on save. */
class Refused extends Error {
  readonly code: string;
  readonly given: unknown;
  constructor(code: string, given: unknown) {
    super(`refused on save: ${code}`);
    this.code = code;
    this.given = given;
  }
}

/** Writes a vector's ruleset through the management API, compares the compiled ruleset, and evaluates the calls. */
export const runServerVector = async (server: TestedServer, vector: Vector): Promise<CaseResult> => {
  const started = performance.now();
  const done = (rest: Partial<CaseResult> & Pick<CaseResult, 'outcome'>): CaseResult => ({
    ...serverVectorHead(vector),
    problems: [],
    ms: performance.now() - started,
    ...rest,
  });
  server.http.takeFaults();
  const ruleset = toWritableRuleset(vector);
  if (typeof ruleset === 'string') return done({ outcome: 'inapplicable', reason: ruleset });
  try {
    const environment = await server.createProject('vector');
    const written = await write(server, environment, ruleset);
    const problems = [
      ...(await compareRuleset(written)),
      ...(await compareCalls(vector, written)),
      ...server.http.takeFaults().map((message): Problem => ({ where: 'openapi.json', message })),
    ];
    return done({ outcome: problems.length ? 'fail' : 'pass', problems });
  } catch (error) {
    if (error instanceof Refused) {
      const problem = { where: 'on save', message: error.message, given: error.given };
      return done({ outcome: 'fail', problems: [problem] });
    }
    return done({ outcome: 'crash', reason: (error as Error).message });
  }
};

/** A ruleset that was written to the server. */
interface WrittenRuleset extends WritableRuleset {
  readonly server: TestedServer;
  readonly environment: TestEnvironment;
  /** The server's rule ids, by flag key and the vector's rule id. */
  readonly ids: ReadonlyMap<string, string>;
  /** Keys of flags whose rules were refused because of a pattern outside the dialect. */
  readonly refused: ReadonlySet<string>;
}

const write = async (
  server: TestedServer,
  environment: TestEnvironment & { projectId: string },
  { flags, segments }: WritableRuleset,
): Promise<WrittenRuleset> => {
  const query = { environment_id: environment.environmentId };
  const send = async <Data>(request: HttpRequest, status: number) => {
    const response = await server.admin(request);
    if (response.status === 400 || response.status === 422) {
      const { error } = response.body as { error?: { code?: string } };
      throw new Refused(error?.code ?? 'no code', request.body);
    }
    return dataOf<Data>(response, status, `${request.method} ${request.path}`);
  };
  for (const { key, conditions } of segments) {
    const path = `/projects/${environment.projectId}/segments`;
    await send({ method: 'POST', path, body: { key, name: key, conditions } }, 201);
  }
  const created: { flag: Flag; id: string }[] = [];
  for (const flag of flags) {
    const { key, flag_type, default_variation } = flag;
    const variations = flag.variations.map((variation) => ({
      ...variation,
      name: `Variation ${variation.key}`,
    }));
    const body = { key, name: key, flag_type, variations, default_variation };
    const { id } = await send<{ id: string }>({ method: 'POST', path: '/flags', query, body }, 201);
    created.push({ flag, id });
  }
  const ids = new Map<string, string>();
  const refused = new Set<string>();
  for (const { flag, id } of created) {
    const rules = [...flag.targeting_rules].sort((left, right) => left.priority - right.priority);
    if (rules.length || flag.prerequisites?.length) {
      const body = {
        targeting_rules: rules.map(({ id: _own, ...rule }) => ({ ...rule, name: 'Rule' })),
        ...(flag.prerequisites?.length && { prerequisites: flag.prerequisites }),
      };
      const request = { method: 'PUT', path: `/flags/${id}`, query, body };
      const put = send<{ targeting_rules: Rule[] }>(request, 200);
      const { targeting_rules: stored } = await put.catch((error: unknown) => {
        // A pattern outside the dialect never matches, and servers must refuse it on save (EV-88).
        if (!(error instanceof Refused && error.code === 'REGEX_INVALID')) throw error;
        refused.add(flag.key);
        return { targeting_rules: [] };
      });
      rules.forEach((rule, at) => {
        ids.set(`${flag.key} ${rule.id}`, stored[at]?.id ?? 'no such rule');
      });
    }
    const toggle = { method: 'POST', path: `/flags/${id}/toggle`, query, body: { enabled: true } };
    if (flag.enabled) await send(toggle, 200);
  }
  return { server, environment, flags, segments, ids, refused };
};

const compareRuleset = async ({
  server,
  environment,
  flags,
  ids,
  refused,
}: WrittenRuleset): Promise<Problem[]> => {
  const answer = await server.as('none', {
    method: 'GET',
    path: '/sdk/ruleset',
    headers: { 'x-api-key': environment.key },
  });
  const { flags: compiled } = dataOf<{ flags: Flag[] }>(answer, 200, 'GET /sdk/ruleset');
  return flags.flatMap((flag) => {
    if (refused.has(flag.key)) return [];
    const found = compiled.find(({ key }) => key === flag.key);
    const where = `GET /sdk/ruleset, flag ${flag.key}`;
    if (!found) return [{ where, message: 'is not in the compiled ruleset' }];
    const expected = comparedFields(flag, ids);
    // The rules of a disabled flag have no effect, so the server may leave them out (decisions/0002).
    const actual = comparedFields(found);
    const wrong = Object.keys(expected).filter(
      (name) =>
        !sameJson(expected[name], actual[name]) &&
        !(name === 'rules' && !flag.enabled && found.targeting_rules.length === 0) &&
        !(name === 'prerequisites' && !flag.enabled),
    );
    return wrong.length ? [{ where, message: `differs in ${wrong.join(', ')}`, expected, actual }] : [];
  });
};

/** The fields that must be equal in a flag as written and as compiled. */
const comparedFields = (flag: Flag, ids?: WrittenRuleset['ids']): Record<string, unknown> => ({
  type: flag.flag_type,
  enabled: flag.enabled,
  default_variation: flag.default_variation,
  variations: flag.variations.map(({ key, value }) => ({ key, value })),
  prerequisites: flag.prerequisites ?? [],
  rules: [...flag.targeting_rules]
    .sort((left, right) => left.priority - right.priority)
    .map(({ id, priority, conditions, variation, percentage_rollout, bucketing }) => ({
      id: ids ? ids.get(`${flag.key} ${id}`) : id,
      priority,
      conditions: conditions.map(normalize),
      variation: variation ?? null,
      rollout: percentage_rollout ?? null,
      bucketing: bucketing ?? 1,
    })),
});

/** `$segment is x` and `$segment one_of [x]` are the same condition. */
const normalize = ({ attribute, operator, value }: Rule['conditions'][number]) => {
  const list: Readonly<Record<string, string>> = { is: 'one_of', is_not: 'not_one_of' };
  const other = attribute === '$segment' ? list[operator] : undefined;
  return other ? { attribute, operator: other, value: [value] } : { attribute, operator, value };
};

/** The lowest limit that a server may set for the patterns of one flag, in characters times states. */
const MIN_PATTERN_WORK = 700_000;

/** Whether the server refused a context because matching would take too long: some vectors have very long texts. */
const isRefusedAsTooMuchWork = ({ status, body }: HttpResponse): boolean => {
  const { error } = body as { error?: { code?: string; details?: Record<string, unknown> } };
  const { limit, maximum, work } = error?.details ?? {};
  const isRefused = status === 422 && error?.code === 'LIMIT_EXCEEDED' && limit === 'pattern_work';
  return isRefused && Number(maximum) >= MIN_PATTERN_WORK && Number(work) > Number(maximum);
};

const compareCalls = async (vector: Vector, written: WrittenRuleset): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [at, call] of vector.calls.entries()) {
    const problem = canEvaluate(call) && (await compareCall(call, written));
    if (problem) problems.push({ where: `call ${at + 1}`, ...problem });
  }
  return problems;
};

/** Evaluates one call; returns what is wrong with the result. */
const compareCall = async (
  { flag, context, expect }: VectorCall,
  { server, environment, flags, ids, refused }: WrittenRuleset,
): Promise<Omit<Problem, 'where'> | undefined> => {
  if (refused.has(flag)) {
    const decidingRule = flags
      .find(({ key }) => key === flag)
      ?.targeting_rules.find(({ id }) => id === expect['rule_id']);
    const mustMatch = decidingRule?.conditions.some(({ operator }) => operator === 'matches_regex');
    return mustMatch
      ? { message: 'the pattern was refused on save, but matches', expected: expect }
      : undefined;
  }
  const response = await server.as('none', {
    method: 'POST',
    path: '/evaluate',
    headers: { 'x-api-key': environment.key },
    body: { flags: [flag], context },
  });
  if (isRefusedAsTooMuchWork(response)) return undefined;
  const given = { flag, context };
  if (response.status !== 200) {
    return { given, message: `the status is ${response.status}: ${brief(response.body)}` };
  }
  const { evaluations } = dataOf<{ evaluations: Record<string, unknown> }>(response, 200, 'POST /evaluate');
  const { rule_id: ruleId, value } = expect;
  const type = flags.find(({ key }) => key === flag)?.flag_type;
  const expected = {
    ...expect,
    ...(type !== undefined && 'value' in expect && { value: wrap(type, value) }),
    ...(typeof ruleId === 'string' && { rule_id: ids.get(`${flag} ${ruleId}`) ?? null }),
  };
  const actual = Object.hasOwn(evaluations, flag) ? evaluations[flag] : undefined;
  const wrong = differences(expected, actual);
  return wrong.length ? { given, message: `wrong: ${wrong.join(', ')}`, expected, actual } : undefined;
};
