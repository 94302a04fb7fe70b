import { brief, isObject, sameJson } from '../suite/json-value.ts';
import { compareEvaluators } from './compare-evaluators.ts';
import {
  type Effect,
  type FlagRecord,
  fetchRuleset,
  query,
  type Ruleset,
  type SequenceState,
} from './sequence-state.ts';
import { dataOf } from './tested-server.ts';

/** Names of the fields that differ. */
export const changedFields = (before: FlagRecord, after: FlagRecord): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameJson(before[name], after[name]),
  );

/** The audit entries that a command must have added. */
interface ExpectedAudit {
  readonly newEntries: 0 | 1 | 'any';
  /** Changes that one of the entries must contain. */
  readonly changes?: object | undefined;
}

/** Checks the flag's audit entries after a command, and records the flag's new state. */
export const checkAudit = async (
  state: SequenceState,
  flag: FlagRecord,
  { newEntries, changes }: ExpectedAudit,
): Promise<void> => {
  state.flags.set(flag.id, flag);
  const answer = await state.server.admin({
    method: 'GET',
    path: `/flags/${flag.id}/history`,
    query: { ...query(state), per_page: 200 },
  });
  const entries = dataOf<{ changes: object; timestamp: string }[]>(answer, 200, 'history');
  const before = state.audits.get(flag.id) ?? 0;
  state.audits.set(flag.id, entries.length);
  if (newEntries !== 'any' && entries.length !== before + newEntries) {
    state.problems.push({
      where: 'audit log',
      message: `${entries.length - before} new entries, not ${newEntries}`,
      actual: entries.slice(0, 2),
    });
  }
  if (changes === undefined) return;
  const isRecorded = entries.some((entry) =>
    Object.entries(changes).every(
      ([name, value]) =>
        isObject(entry.changes) && sameJson((entry.changes as Record<string, unknown>)[name], value),
    ),
  );
  if (!isRecorded)
    state.problems.push({
      where: 'audit log',
      message: 'no entry has the change',
      expected: changes,
      actual: entries.slice(0, 2),
    });
};

/** Checks that an archived flag serves its default variation. */
export const checkServesDefault = async (
  { server, environment, problems }: SequenceState,
  flag: FlagRecord,
): Promise<void> => {
  const answer = await server.as('none', {
    method: 'POST',
    path: '/evaluate',
    headers: { 'x-api-key': environment.key },
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
      message: 'an archived flag does not serve its default variation',
      expected: flag.default_variation,
      actual: evaluations,
    });
  }
};

/**
 * Checks that the version does not decrease, that the tag changes if and only if the body does, and that the body
 * changes when it must. If the body has changed, compares the evaluators.
 */
export const checkRuleset = async (state: SequenceState, effect: Effect): Promise<void> => {
  const { problems } = state;
  const before = state.ruleset;
  const after = await fetchRuleset(state.server, state.environment.key);
  state.ruleset = after;
  const withoutTime = ({ fetched_at: _fetched, ...rest }: Ruleset & { fetched_at?: string }) => rest;
  const isSame = sameJson(withoutTime(before.body), withoutTime(after.body));
  const where = 'GET /sdk/ruleset';
  if (after.body.version < before.body.version) {
    problems.push({
      where,
      message: 'the version decreased',
      expected: before.body.version,
      actual: after.body.version,
    });
  }
  if (isSame !== (before.tag === after.tag)) {
    const difference = isSame ? 'the tag changed, the body did not' : 'the body changed, the tag did not';
    problems.push({ where, message: `${difference} (${before.tag}, ${after.tag})` });
  }
  if (effect === 'changes' && isSame)
    problems.push({ where, message: 'a change is not in the ruleset', actual: brief(after.body) });
  if (!isSame) await compareEvaluators(state);
};

/** Checks that the pages are disjoint and have the stated total, and that together they contain all active flags. */
export const checkPages = async (state: SequenceState): Promise<void> => {
  const all: string[] = [];
  let total = 0;
  for (let page = 1; page <= 100; page++) {
    const answer = await state.server.admin({
      method: 'GET',
      path: '/flags',
      query: { ...query(state), page, per_page: 3, sort: 'key', order: 'asc' },
    });
    const list = dataOf<FlagRecord[]>(answer, 200, 'GET /flags');
    total = (answer.body as { meta: { total: number } }).meta.total;
    if (list.length === 0) break;
    all.push(...list.map(({ key }) => key));
  }
  const active = [...state.flags.values()]
    .filter(({ status }) => status !== 'archived')
    .map(({ key }) => key);
  if (new Set(all).size !== all.length || all.length !== total || active.some((key) => !all.includes(key))) {
    state.problems.push({
      where: 'pages',
      message: 'the pages do not partition the list',
      expected: active.sort(),
      actual: all,
    });
  }
};
