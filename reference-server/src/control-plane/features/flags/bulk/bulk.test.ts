import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { codeOf, refused } from '../../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

let server: TestServer;
let api: Api;
let environment_id: string;
let ids: string[];
let round = 0;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  environment_id = server.environments.production;
});
afterAll(() => server.close());

beforeEach(async () => {
  round++;
  ids = [];
  for (const key of [`a-${round}`, `b-${round}`, `c-${round}`]) {
    ids.push((await api.flags.create(booleanFlag(key, { tags: [`round-${round}`] }))).id);
  }
});

const bulk = (body: object, options = {}) =>
  api.unchecked.flags.bulk({ environment_id, flag_ids: ids, ...body }, options);
/** The outcome of each flag: `ok`, `skipped`, or the code of its refusal. */
const outcomes = async (body: object) => (await bulk(body)).results.map(({ status, code }) => code ?? status);
/** The status of each flag. */
const state = async () => {
  const rows = await server.db
    .selectFrom('flags')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('key')
    .execute();
  return rows.map((row) => row.status);
};
test('a bulk toggle makes one version of the ruleset, and an audit entry per flag', async () => {
  const version = async () =>
    (
      await server.db
        .selectFrom('rulesets')
        .select('version')
        .where('environment_id', '=', environment_id)
        .executeTakeFirstOrThrow()
    ).version;
  const before = await version();
  const toggle = { action: 'toggle', params: { enabled: true } };
  const { results } = await bulk({ ...toggle, comment: `bulk ${round}` });
  expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  expect(results.map(({ flag_id }) => flag_id)).toEqual(ids);
  expect(await version()).toBe(before + 1);
  const entries = await server.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('comment', '=', `bulk ${round}`)
    .execute();
  expect(entries.map((entry) => [entry.action, entry.resource_id])).toEqual(
    ids.map((id) => ['flag.toggled', id]),
  );
  expect(await outcomes(toggle)).toEqual(['skipped', 'skipped', 'skipped']);
});

test('a bulk call continues past a refused flag; an atomic one writes nothing', async () => {
  const flag_ids = [ids[0]!, 'flg_x', ids[2]!];
  expect(await codeOf(bulk({ action: 'archive', flag_ids, atomic: true }))).toBe('FLAG_NOT_FOUND');
  expect(await state()).toEqual(['active', 'active', 'active']);
  expect(await outcomes({ action: 'archive', flag_ids })).toEqual(['ok', 'FLAG_NOT_FOUND', 'ok']);
  expect(await state()).toEqual(['archived', 'active', 'archived']);
  expect(await outcomes({ action: 'restore' })).toEqual(['ok', 'FLAG_NOT_ARCHIVED', 'ok']);
});

test('bulk calls add and remove tags, set owners, mark flags as stale and promote them', async () => {
  await bulk({ action: 'add_tags', params: { tags: ['x', 'y'] } });
  await bulk({ action: 'remove_tags', params: { tags: ['x'] } });
  expect((await api.flags.get(ids[0]!)).tags).toEqual([`round-${round}`, 'y']);
  await bulk({ action: 'set_owner', params: { owner_id: null } });
  expect((await api.flags.get(ids[0]!)).owner_id).toBeNull();
  await bulk({ action: 'mark_stale' });
  expect(await state()).toEqual(['stale', 'stale', 'stale']);
  await api.flags.toggle(ids[0]!, true);
  const params = { target_environment_id: server.environments.staging, include: ['enabled'] };
  expect(await outcomes({ action: 'promote', params })).toEqual(['ok', 'skipped', 'skipped']);
});

test('a bulk call snoozes stale flags, and refuses those that are not stale', async () => {
  await api.flags.markStale(ids[0]!);
  const snooze = { action: 'unmark_stale', params: { snooze_until: '2999-01-01T00:00:00Z' } };
  const conflict = 'FLAG_STATUS_CONFLICT';
  expect(await outcomes(snooze)).toEqual(['ok', conflict, conflict]);
  const flag = await server.db.selectFrom('flags').selectAll().where('id', '=', ids[0]!).executeTakeFirst();
  expect(flag).toMatchObject({ status: 'active', stale_snoozed_until: '2999-01-01T00:00:00.000Z' });
  await api.flags.markStale(ids[0]!);
  const past = { ...snooze, params: { snooze_until: '2000-01-01T00:00:00Z' } };
  expect(await outcomes(past)).toEqual(['VALIDATION_ERROR', conflict, conflict]);
});

test('a bulk call with a filter must state how many flags the filter finds', async () => {
  const archive = { action: 'archive', flag_ids: undefined, filter: { tag: `round-${round}` } };
  expect(await refused(bulk({ ...archive, expected_count: 2 }))).toMatchObject({
    code: 'BULK_COUNT_MISMATCH',
    details: { found: 3, expected_count: 2 },
  });
  expect(await state()).toEqual(['active', 'active', 'active']);
  expect(await outcomes({ ...archive, expected_count: 3 })).toHaveLength(3);
  expect(await state()).toEqual(['archived', 'archived', 'archived']);
});

test.each([
  [{ action: 'toggle' }, 'params.enabled'],
  [{ action: 'promote', params: {} }, 'params.target_environment_id'],
  [{ action: 'archive', filter: {}, expected_count: 1 }, ''],
  [{ action: 'archive', flag_ids: undefined, filter: {} }, 'expected_count'],
  [{ action: 'explode' }, 'action'],
])('refuses %j', async (body, field) => {
  const { code, details } = await refused(bulk(body));
  expect([code, details.fields[0].field]).toEqual(['VALIDATION_ERROR', field]);
});

test('a dry run returns a plan for each flag', async () => {
  const flag_ids = [ids[0]!, 'flg_x'];
  const { plan } = await api.dryRun.flags.bulk({ action: 'archive', environment_id, flag_ids });
  expect(plan.map(({ gate }) => gate.code)).toEqual([null, 'FLAG_NOT_FOUND']);
  expect(await state()).toEqual(['active', 'active', 'active']);
});

test('a repeated Idempotency-Key acts once', async () => {
  const options = { idempotencyKey: `bulk-${round}` };
  const first = await bulk({ action: 'archive' }, options).answer;
  const second = await bulk({ action: 'archive' }, options).answer;
  expect(second.body).toEqual(first.body);
});

test('a replay has the outcome of each flag, even of flags that were refused, named twice or found by a filter', async () => {
  const twice = async (body: object, key: string) => {
    const options = { idempotencyKey: `${key}-${round}` };
    const answers = [await bulk(body, options), await bulk(body, options)];
    return answers.map(({ results }) => results.map(({ flag_id, code }) => [flag_id, code]));
  };
  const [a, b, c] = ids;
  const named = [
    [a, null],
    ['flg_x', 'FLAG_NOT_FOUND'],
    [b, null],
  ];
  const flag_ids = [a, a, 'flg_x', b];
  expect(await twice({ action: 'mark_stale', flag_ids }, 'named')).toEqual([named, named]);
  const found = [
    [a, null],
    [b, null],
    [c, null],
  ];
  const filter = { tag: `round-${round}` };
  const body = { action: 'archive', flag_ids: undefined, filter, expected_count: 3 };
  const answers = await twice(body, 'found');
  expect(answers.map((outcome) => outcome.sort())).toEqual([found.sort(), found.sort()]);
});
