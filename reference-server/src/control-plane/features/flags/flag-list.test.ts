import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { storeEvaluations } from '../../../../test/evaluations.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let environment: string;

beforeAll(async () => {
  server = await startServer();
  environment = server.environments.production;
  api = server.as('editor');
  const { flags, segments, projects } = api;
  const alpha = await flags.create(
    booleanFlag('alpha', { name: 'Zebra', tags: ['ui'], classification: 'release' }),
  );
  const beta = await flags.create(booleanFlag('beta', { name: 'apple 100%' }));
  await flags.create({
    key: 'gamma',
    name: 'snake_case',
    flag_type: 'string',
    variations: [{ key: 'a', name: 'A', value: 'a' }],
    default_variation: 'a',
  });
  const delta = await flags.create(booleanFlag('delta', { name: 'Gone' }));
  await flags.archive(delta.id);
  await flags.toggle(alpha.id, true);
  await flags.update(beta.id, {
    targeting_rules: [
      { priority: 1, name: 'one', conditions: [], variation: 'on' },
      { priority: 2, name: 'two', conditions: [], variation: 'off' },
    ],
  });
  // A segment and a flag of another project, with names that match the searches below.
  await segments.create(server.projectId, { key: 'zebras', name: 'Zebra', conditions: [] });
  const other = await projects.create({ key: 'other', name: 'Other' });
  await api.in(other.default_environment_id!).flags.create(booleanFlag('alpha', { name: 'Zebra' }));
});
afterAll(() => server.close());

/** Lists the flags that match a query, which is written as in a URL. */
const list = (query: string) => api.raw({ url: `/flags?environment_id=${environment}${query}` });
const keysOf = (flags: readonly { key: string }[]) => flags.map(({ key }) => key);

test('the list has the number of rules of each flag, but not the rules', async () => {
  const { body } = await api.flags.list({ search: 'beta' }).answer;
  expect(body.meta).toEqual({ page: 1, per_page: 50, total: 1 });
  expect(body.data[0]).toMatchObject({ key: 'beta', targeting_rules_count: 2, environment_id: environment });
  expect(body.data[0]).not.toHaveProperty('targeting_rules');
});

test.each([
  ['', ['gamma', 'beta', 'alpha']],
  ['&status=active', ['gamma', 'beta', 'alpha']],
  ['&status=inactive', ['gamma', 'beta']],
  ['&status=archived', ['delta']],
  ['&status=stale', []],
  ['&flag_type=string', ['gamma']],
  ['&flag_type=boolean', ['beta', 'alpha']],
  ['&tag=ui', ['alpha']],
  ['&classification=release', ['alpha']],
  ['&search=ZEB', ['alpha']],
  ['&search=gam', ['gamma']],
  ['&search=%25', ['beta']],
  ['&search=_', ['gamma']],
  ['&search=e_c', ['gamma']],
  ['&search=gone', []],
  ['&search=gone&status=archived', ['delta']],
  ['&search=zeb&tag=ui', ['alpha']],
  ['&search=zeb&tag=none', []],
  ['&search=', ['gamma', 'beta', 'alpha']],
  ['&search=%5C', []],
  ["&search='%20or%201=1", []],
  ['&sort=key&order=asc', ['alpha', 'beta', 'gamma']],
  ['&sort=key', ['gamma', 'beta', 'alpha']],
  ['&sort=name&order=asc', ['beta', 'gamma', 'alpha']],
  ['&sort=created_at&order=asc', ['alpha', 'beta', 'gamma']],
  ['&sort=updated_at', ['beta', 'alpha', 'gamma']],
])('lists %s', async (query, expected) => {
  const { body } = await list(query);
  expect(keysOf(body.data)).toEqual(expected);
  expect(body.meta.total).toBe(expected.length);
});

test('the list has pages', async () => {
  const page = async (query: object) => (await api.flags.list(query).answer).body;
  const first = await page({ per_page: 2 });
  expect(first.data).toHaveLength(2);
  expect(first.meta).toEqual({ page: 1, per_page: 2, total: 3 });
  expect(keysOf((await page({ per_page: 2, page: 2 })).data)).toEqual(['alpha']);
  expect(await page({ page: 9 })).toEqual({ data: [], meta: { page: 9, per_page: 50, total: 3 } });
  expect((await page({ per_page: 200 })).meta.per_page).toBe(200);
});

test.each([
  ['&per_page=201', 'per_page', 'maximum'],
  ['&per_page=0', 'per_page', 'minimum'],
  ['&page=0', 'page', 'minimum'],
  ['&page=-1', 'page', 'minimum'],
  ['&page=1abc', 'page', 'type'],
  ['&page=1.5', 'page', 'type'],
  ['&page=', 'page', 'type'],
  ['&page=0x10', 'page', 'type'],
  ['&page=1&page=2', 'page', 'type'],
  ['&status=deleted', 'status', 'enum'],
  ['&flag_type=float', 'flag_type', 'enum'],
  ['&sort=id', 'sort', 'enum'],
  ['&order=up', 'order', 'enum'],
])('refuses %s', async (query, field, code) => {
  const { status, body } = await list(query);
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.details.fields).toEqual([
    { field, location: 'query', code, message: expect.any(String) },
  ]);
});

test('the list can be filtered by stale reason and by last evaluation', async () => {
  const keys = async (query: object) => keysOf(await api.flags.list(query)).sort();
  const [beta] = await api.flags.list({ search: 'beta' });
  await api.flags.markStale(beta!.id, { reason: 'not_evaluated' });
  expect(await keys({ stale_reason: 'not_evaluated' })).toEqual(['beta']);
  expect(await keys({ stale_reason: 'manual' })).toEqual([]);
  await storeEvaluations(server, [
    {
      organization_id: server.organizationId,
      environment_id: environment,
      hour: '2026-11-20T09:00:00.000Z',
      flag_key: 'alpha',
      variation_key: 'on',
      reason: 'DEFAULT',
      rule_id: '',
      count: 1,
    },
  ]);
  expect(await keys({ evaluated_before: '2026-11-20T09:00:00Z' })).toEqual(['beta', 'gamma']);
  expect(await keys({ evaluated_before: '2026-11-20T09:30:00Z' })).toEqual(['alpha', 'beta', 'gamma']);
  const [alpha] = await api.flags.list({ search: 'alpha' });
  expect(alpha!.last_evaluated_at).toBe('2026-11-20T09:00:00.000Z');
});
