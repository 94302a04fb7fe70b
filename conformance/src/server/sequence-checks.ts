import { brief, isObject, sameJson } from '../suite/json-value.ts';
import { checkPeer } from './compare-evaluators.ts';
import type { Effect } from './sequence-commands.ts';
import { type FlagRecord, fetchRuleset, query, type Ruleset, type State } from './sequence-state.ts';
import { dataOf } from './tested-server.ts';

/** Names of the fields that differ. */
export const changedFields = (before: FlagRecord, after: FlagRecord): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameJson(before[name], after[name]),
  );

/** So many entries more than before, the newest one with these changes. */
export const audit = async (
  state: State,
  flag: FlagRecord,
  more: 0 | 1 | 'any',
  changes?: object,
): Promise<void> => {
  state.flags.set(flag.id, flag);
  const answer = await state.world.admin({
    method: 'GET',
    path: `/flags/${flag.id}/history`,
    query: { ...query(state), per_page: 200 },
  });
  const entries = dataOf<{ changes: object; timestamp: string }[]>(answer, 200, 'history');
  const before = state.audits.get(flag.id) ?? 0;
  state.audits.set(flag.id, entries.length);
  if (more !== 'any' && entries.length !== before + more) {
    state.problems.push({
      where: 'audit log',
      message: `${entries.length - before} new entries, not ${more}`,
      actual: entries.slice(0, 2),
    });
  }
  if (changes === undefined) return;
  const held = entries.some((entry) =>
    Object.entries(changes).every(
      ([name, value]) =>
        isObject(entry.changes) && sameJson((entry.changes as Record<string, unknown>)[name], value),
    ),
  );
  if (!held)
    state.problems.push({
      where: 'audit log',
      message: 'no entry says what changed',
      expected: changes,
      actual: entries.slice(0, 2),
    });
};

/** An archived flag serves its default variation. */
export const servesDefault = async ({ world, place, problems }: State, flag: FlagRecord): Promise<void> => {
  const answer = await world.as('none', {
    method: 'POST',
    path: '/evaluate',
    headers: { 'x-api-key': place.key },
    body: { flags: [flag.key], context: { user_key: 'u1', attributes: { plan: 'p1' } } },
  });
  const { evaluations } = dataOf<{ evaluations: Record<string, { variation_key: string }> }>(
    answer,
    200,
    'POST /evaluate',
  );
  if (evaluations[flag.key]?.variation_key !== flag.default_variation) {
    problems.push({
      where: 'archived',
      message: 'an archived flag does not serve its default',
      expected: flag.default_variation,
      actual: evaluations,
    });
  }
};

/** The version never falls; the tag changes if and only if the body does. */
export const checkRuleset = async (state: State, effect: Effect): Promise<void> => {
  const { problems } = state;
  const before = state.ruleset;
  const after = await fetchRuleset(state.world, state.place.key);
  state.ruleset = after;
  const essence = ({ fetched_at: _fetched, ...rest }: Ruleset & { fetched_at?: string }) => rest;
  const same = sameJson(essence(before.body), essence(after.body));
  const where = 'GET /sdk/ruleset';
  if (after.body.version < before.body.version) {
    problems.push({
      where,
      message: 'the version fell',
      expected: before.body.version,
      actual: after.body.version,
    });
  }
  if (same !== (before.tag === after.tag)) {
    const words = same ? 'the tag changed, the body did not' : 'the body changed, the tag did not';
    problems.push({ where, message: `${words} (${before.tag}, ${after.tag})` });
  }
  if (effect === 'changes' && same)
    problems.push({ where, message: 'a change is not in the ruleset', actual: brief(after.body) });
  if (!same) await checkPeer(state);
};

/** Pages are disjoint and together the list. */
export const checkPages = async (state: State): Promise<void> => {
  const all: string[] = [];
  let total = 0;
  for (let page = 1; page <= 100; page++) {
    const answer = await state.world.admin({
      method: 'GET',
      path: '/flags',
      query: { ...query(state), page, per_page: 3, sort: 'key', order: 'asc' },
    });
    const list = dataOf<FlagRecord[]>(answer, 200, 'GET /flags');
    total = (answer.body as { meta: { total: number } }).meta.total;
    if (list.length === 0) break;
    all.push(...list.map(({ key }) => key));
  }
  const alive = [...state.flags.values()].filter(({ status }) => status !== 'archived').map(({ key }) => key);
  if (new Set(all).size !== all.length || all.length !== total || alive.some((key) => !all.includes(key))) {
    state.problems.push({
      where: 'pages',
      message: 'the pages do not partition the list',
      expected: alive.sort(),
      actual: all,
    });
  }
};
