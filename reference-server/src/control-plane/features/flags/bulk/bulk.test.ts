import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

let server: TestServer;
let environment_id: string;
let ids: string[];
let round = 0;
beforeAll(async () => {
  server = await startServer();
  environment_id = server.environments.production;
});
afterAll(() => server.close());

beforeEach(async () => {
  round++;
  ids = [];
  for (const key of [`a-${round}`, `b-${round}`, `c-${round}`]) {
    const body = booleanFlag(key, { tags: [`round-${round}`] });
    const { body: made } = await send(`/flags?environment_id=${environment_id}`, body);
    ids.push(made.data.id);
  }
});

const send = (url: string, body: object, headers = {}) =>
  server.call({ method: 'POST', url, token: server.tokens.editor, body, headers });
const bulk = (body: object, query = '', headers = {}) =>
  send(`/flags/bulk${query}`, { environment_id, flag_ids: ids, ...body }, headers);
const state = async () => {
  const rows = await server.db
    .selectFrom('flags')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('key')
    .execute();
  return rows.map((row) => row.status);
};
const results = (answer: { body: { data: { results: { status: string; code: string | null }[] } } }) =>
  answer.body.data.results.map(({ status, code }) => [status, code]);

test('switches many flags, in one version of the ruleset, each with its entry', async () => {
  const version = async () =>
    (
      await server.db
        .selectFrom('rulesets')
        .select('version')
        .where('environment_id', '=', environment_id)
        .executeTakeFirstOrThrow()
    ).version;
  const before = await version();
  const answer = await bulk({ action: 'toggle', params: { enabled: true }, comment: `bulk ${round}` });
  expect(results(answer)).toEqual([
    ['ok', null],
    ['ok', null],
    ['ok', null],
  ]);
  expect(answer.body.data.results.map((one: { flag_id: string }) => one.flag_id)).toEqual(ids);
  expect(await version()).toBe(before + 1);
  const entries = await server.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('comment', '=', `bulk ${round}`)
    .execute();
  expect(entries.map((entry) => [entry.action, entry.resource_id])).toEqual(
    ids.map((id) => ['flag.toggled', id]),
  );
  expect(results(await bulk({ action: 'toggle', params: { enabled: true } }))[0]).toEqual(['skipped', null]);
});

test('goes on past a flag that refuses, or does nothing when it is all or none', async () => {
  const flag_ids = [ids[0]!, 'flg_x', ids[2]!];
  const atomic = await bulk({ action: 'archive', flag_ids, atomic: true });
  expect([atomic.status, atomic.body.error.code]).toEqual([404, 'FLAG_NOT_FOUND']);
  expect(await state()).toEqual(['active', 'active', 'active']);
  const each = await bulk({ action: 'archive', flag_ids });
  expect(results(each)).toEqual([
    ['ok', null],
    ['error', 'FLAG_NOT_FOUND'],
    ['ok', null],
  ]);
  expect(await state()).toEqual(['archived', 'active', 'archived']);
  const back = await bulk({ action: 'restore' });
  expect(results(back)).toEqual([
    ['ok', null],
    ['error', 'FLAG_NOT_ARCHIVED'],
    ['ok', null],
  ]);
});

test('tags, untags, gives away, marks stale and promotes', async () => {
  const flag = async () =>
    (
      await server.call({
        url: `/flags/${ids[0]}?environment_id=${environment_id}`,
        token: server.tokens.viewer,
      })
    ).body.data;
  await bulk({ action: 'add_tags', params: { tags: ['x', 'y'] } });
  await bulk({ action: 'remove_tags', params: { tags: ['x'] } });
  expect((await flag()).tags).toEqual([`round-${round}`, 'y']);
  await bulk({ action: 'set_owner', params: { owner_id: null } });
  expect((await flag()).owner_id).toBeNull();
  await bulk({ action: 'mark_stale' });
  expect(await state()).toEqual(['stale', 'stale', 'stale']);
  const staging = server.environments.staging;
  await send(`/flags/${ids[0]}/toggle?environment_id=${environment_id}`, { enabled: true });
  const promoted = await bulk({
    action: 'promote',
    params: { target_environment_id: staging, include: ['enabled'] },
  });
  expect(results(promoted)).toEqual([
    ['ok', null],
    ['skipped', null],
    ['skipped', null],
  ]);
});

test('takes a filter only with the number of flags that it finds', async () => {
  const filter = { tag: `round-${round}` };
  const wrong = await bulk({ action: 'archive', flag_ids: undefined, filter, expected_count: 2 });
  expect([wrong.status, wrong.body.error.code, wrong.body.error.details]).toEqual([
    422,
    'BULK_COUNT_MISMATCH',
    { found: 3, expected_count: 2 },
  ]);
  expect(await state()).toEqual(['active', 'active', 'active']);
  const right = await bulk({ action: 'archive', flag_ids: undefined, filter, expected_count: 3 });
  expect(results(right)).toHaveLength(3);
  expect(await state()).toEqual(['archived', 'archived', 'archived']);
});

test.each([
  [{ action: 'toggle' }, 'params.enabled'],
  [{ action: 'promote', params: {} }, 'params.target_environment_id'],
  [{ action: 'archive', filter: {}, expected_count: 1 }, ''],
  [{ action: 'archive', flag_ids: undefined, filter: {} }, 'expected_count'],
  [{ action: 'explode' }, 'action'],
])('refuses %j', async (body, field) => {
  const answer = await bulk(body);
  expect([answer.status, answer.body.error.details.fields[0].field]).toEqual([400, field]);
});

test('tells beforehand, and acts once for one Idempotency-Key', async () => {
  const tried = await bulk({ action: 'archive', flag_ids: [ids[0]!, 'flg_x'] }, '?dry_run=true');
  expect(tried.body.data.plan.map((one: { gate: { code: string | null } }) => one.gate.code)).toEqual([
    null,
    'FLAG_NOT_FOUND',
  ]);
  expect(await state()).toEqual(['active', 'active', 'active']);
  const headers = { 'idempotency-key': `bulk-${round}` };
  const first = await bulk({ action: 'archive' }, '', headers);
  const second = await bulk({ action: 'archive' }, '', headers);
  expect(second.body).toEqual(first.body);
});

test('repeats which flags it was about, found by a filter or named twice, refused or not', async () => {
  const twice = async (body: object, key: string) => {
    const headers = { 'idempotency-key': `${key}-${round}` };
    const answers = [await bulk(body, '', headers), await bulk(body, '', headers)];
    return answers.map(({ body }) =>
      body.data.results.map(({ flag_id, code }: { flag_id: string; code: string | null }) => [flag_id, code]),
    );
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
  expect(answers.map((one) => one.sort())).toEqual([found.sort(), found.sort()]);
});
