import { performance } from 'node:perf_hooks';
import type { CaseHead, CaseResult, Problem } from '../report/results.ts';
import { brief, differences, sameJson } from '../suite/json-value.ts';
import type { Vector } from '../suite/suite.ts';
import { vectorHead } from '../vectors/run-vectors.ts';
import type { ServerAnswer } from './http-client.ts';
import { dataOf, type Place, type World } from './tested-server.ts';
import { type Drivable, type Flag, isAskable, type Rule, toDrivable, wrap } from './writable-ruleset.ts';

/** What a vector that is driven through a server looks like in a report. */
export const serverVectorHead = (vector: Vector): CaseHead => ({
  ...vectorHead(vector),
  id: `${vector.id}@server`,
  group: `server/vectors/${vector.category}`,
});

/** A server refused on save. */
class Refused extends Error {
  readonly code: string;
  readonly given: unknown;
  constructor(code: string, given: unknown) {
    super(`refused on save: ${code}`);
    this.code = code;
    this.given = given;
  }
}

/** Writes a vector's ruleset through the management API, reads it back compiled, and asks for its calls. */
export const runServerVector = async (world: World, vector: Vector): Promise<CaseResult> => {
  const started = performance.now();
  const done = (rest: Partial<CaseResult> & Pick<CaseResult, 'outcome'>): CaseResult => ({
    ...serverVectorHead(vector),
    problems: [],
    ms: performance.now() - started,
    ...rest,
  });
  world.caller.takeFaults();
  const ruleset = toDrivable(vector);
  if (typeof ruleset === 'string') return done({ outcome: 'inapplicable', reason: ruleset });
  try {
    const place = await world.createPlace('vector');
    const written = await write(world, place, ruleset);
    const problems = [
      ...(await compareRuleset(world, place, ruleset, written)),
      ...(await compareCalls(world, place, vector, ruleset, written)),
      ...world.caller.takeFaults().map((message): Problem => ({ where: 'openapi.json', message })),
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

/** What the server made of a ruleset. */
interface Written {
  /** Ids of rules: those of the vector to those that the server gave. */
  readonly ids: ReadonlyMap<string, string>;
  /** Flags whose rules were refused for a pattern outside the dialect. */
  readonly refused: ReadonlySet<string>;
}

const write = async (
  world: World,
  { environmentId, projectId }: Place & { projectId: string },
  { flags, segments }: Drivable,
): Promise<Written> => {
  const query = { environment_id: environmentId };
  const send = async <Data>(
    method: string,
    path: string,
    body: unknown,
    status: number,
    withQuery = true,
  ) => {
    const answer = await world.admin({ method, path, body, ...(withQuery && { query }) });
    // A pattern outside the dialect is rightly refused; everything else that was sent has to be taken.
    if (answer.status === 400 || answer.status === 422) {
      const { error } = answer.body as { error?: { code?: string } };
      throw new Refused(error?.code ?? 'no code', body);
    }
    return dataOf<Data>(answer, status, `${method} ${path}`);
  };
  for (const { key, conditions } of segments) {
    await send('POST', `/projects/${projectId}/segments`, { key, name: key, conditions }, 201, false);
  }
  const made: { flag: Flag; id: string }[] = [];
  for (const flag of flags) {
    const { key, flag_type, default_variation } = flag;
    const variations = flag.variations.map((variation) => ({
      ...variation,
      name: `Variation ${variation.key}`,
    }));
    const body = { key, name: key, flag_type, variations, default_variation };
    made.push({ flag, id: (await send<{ id: string }>('POST', '/flags', body, 201)).id });
  }
  const ids = new Map<string, string>();
  const refused = new Set<string>();
  for (const { flag, id } of made) {
    const rules = [...flag.targeting_rules].sort((left, right) => left.priority - right.priority);
    if (rules.length || flag.prerequisites?.length) {
      const body = {
        targeting_rules: rules.map(({ id: _own, ...rule }) => ({ ...rule, name: 'Rule' })),
        ...(flag.prerequisites?.length && { prerequisites: flag.prerequisites }),
      };
      const put = send<{ targeting_rules: Rule[] }>('PUT', `/flags/${id}`, body, 200);
      const { targeting_rules: stored } = await put.catch((error: unknown) => {
        // A pattern outside the dialect never matches, and is to be refused on save (EV-88).
        if (!(error instanceof Refused && error.code === 'REGEX_INVALID')) throw error;
        refused.add(flag.key);
        return { targeting_rules: [] };
      });
      rules.forEach((rule, at) => {
        ids.set(`${flag.key} ${rule.id}`, stored[at]?.id ?? 'no such rule');
      });
    }
    if (flag.enabled) await send('POST', `/flags/${id}/toggle`, { enabled: true }, 200);
  }
  return { ids, refused };
};

const compareRuleset = async (
  world: World,
  place: Place,
  { flags }: Drivable,
  { ids, refused }: Written,
): Promise<Problem[]> => {
  const answer = await world.as('none', {
    method: 'GET',
    path: '/sdk/ruleset',
    headers: { 'x-api-key': place.key },
  });
  const { flags: compiled } = dataOf<{ flags: Flag[] }>(answer, 200, 'GET /sdk/ruleset');
  return flags.flatMap((flag) => {
    if (refused.has(flag.key)) return [];
    const found = compiled.find(({ key }) => key === flag.key);
    const where = `GET /sdk/ruleset, flag ${flag.key}`;
    if (!found) return [{ where, message: 'is not in the compiled ruleset' }];
    const expected = essence(flag, ids);
    // The rules of a flag that is off decide nothing: they may be left out (decisions/0002).
    const actual = essence(found);
    const wrong = Object.keys(expected).filter(
      (name) =>
        !sameJson(expected[name], actual[name]) &&
        !(name === 'rules' && !flag.enabled && found.targeting_rules.length === 0) &&
        !(name === 'prerequisites' && !flag.enabled),
    );
    return wrong.length ? [{ where, message: `differs in ${wrong.join(', ')}`, expected, actual }] : [];
  });
};

/** What must be the same in a flag that was written and its compiled form. */
const essence = (flag: Flag, ids?: Written['ids']): Record<string, unknown> => ({
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
      conditions: conditions.map(normal),
      variation: variation ?? null,
      rollout: percentage_rollout ?? null,
      bucketing: bucketing ?? 1,
    })),
});

/** `$segment is x` and `$segment one_of [x]` are the same condition. */
const normal = ({ attribute, operator, value }: Rule['conditions'][number]) => {
  const list: Readonly<Record<string, string>> = { is: 'one_of', is_not: 'not_one_of' };
  const other = attribute === '$segment' ? list[operator] : undefined;
  return other ? { attribute, operator: other, value: [value] } : { attribute, operator, value };
};

/** What a server lets the patterns of one flag read at least, in characters times states. */
const PATTERN_WORK_LEAST = 700_000;

/** Whether a server has refused what would take too long to match: some vectors read millions. */
const isBounded = ({ status, body }: ServerAnswer): boolean => {
  const { error } = body as { error?: { code?: string; details?: Record<string, unknown> } };
  const { limit, maximum, work } = error?.details ?? {};
  const isRefused = status === 422 && error?.code === 'LIMIT_EXCEEDED' && limit === 'pattern_work';
  return isRefused && Number(maximum) >= PATTERN_WORK_LEAST && Number(work) > Number(maximum);
};

const compareCalls = async (
  world: World,
  place: Place,
  vector: Vector,
  { flags }: Drivable,
  { ids, refused }: Written,
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [at, call] of vector.calls.entries()) {
    if (!isAskable(call)) continue;
    const { flag, context, expect } = call;
    const decided = flags
      .find(({ key }) => key === flag)
      ?.targeting_rules.find(({ id }) => id === expect['rule_id']);
    // Where a pattern is to match, it was wrong to refuse it.
    if (refused.has(flag) && decided?.conditions.some(({ operator }) => operator === 'matches_regex')) {
      problems.push({
        where: `call ${at + 1}`,
        message: 'the pattern was refused on save, but matches',
        expected: expect,
      });
    }
    if (refused.has(flag)) continue;
    const answer = await world.as('none', {
      method: 'POST',
      path: '/evaluate',
      headers: { 'x-api-key': place.key },
      body: { flags: [flag], context },
    });
    const where = `call ${at + 1}`;
    if (isBounded(answer)) continue;
    if (answer.status !== 200) {
      problems.push({
        where,
        given: { flag, context },
        message: `the status is ${answer.status}: ${brief(answer.body)}`,
      });
      continue;
    }
    const { evaluations } = dataOf<{ evaluations: Record<string, unknown> }>(answer, 200, 'POST /evaluate');
    const { rule_id: ruleId, value } = expect;
    const type = flags.find(({ key }) => key === flag)?.flag_type;
    const wanted = {
      ...expect,
      ...(type !== undefined && 'value' in expect && { value: wrap(type, value) }),
      ...(typeof ruleId === 'string' && { rule_id: ids.get(`${flag} ${ruleId}`) ?? null }),
    };
    const actual = Object.hasOwn(evaluations, flag) ? evaluations[flag] : undefined;
    const wrong = differences(wanted, actual);
    if (wrong.length) {
      problems.push({
        where,
        given: { flag, context },
        message: `wrong: ${wrong.join(', ')}`,
        expected: wanted,
        actual,
      });
    }
  }
  return problems;
};
