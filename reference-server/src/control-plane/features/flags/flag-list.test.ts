import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let environment: string;

beforeAll(async () => {
  server = await startServer();
  environment = server.environments.production;
  const token = server.tokens.editor;
  const flags = [
    booleanFlag('alpha', { name: 'Zebra', tags: ['ui'], classification: 'release' }),
    booleanFlag('beta', { name: 'apple 100%' }),
    {
      ...booleanFlag('gamma', { name: 'snake_case' }),
      flag_type: 'string',
      variations: [{ key: 'a', name: 'A', value: 'a' }],
      default_variation: 'a',
    },
    booleanFlag('delta', { name: 'Gone' }),
  ];
  const ids: string[] = [];
  for (const body of flags) {
    const answer = await server.call({
      method: 'POST',
      url: `/flags?environment_id=${environment}`,
      token,
      body,
    });
    ids.push(answer.body.data.id);
  }
  const at = `environment_id=${environment}`;
  await server.call({ method: 'DELETE', url: `/flags/${ids[3]}?${at}`, token });
  await server.call({ method: 'POST', url: `/flags/${ids[0]}/toggle?${at}`, token, body: { enabled: true } });
  const targeting_rules = [
    { priority: 1, name: 'one', conditions: [], variation: 'on' },
    { priority: 2, name: 'two', conditions: [], variation: 'off' },
  ];
  await server.call({ method: 'PUT', url: `/flags/${ids[1]}?${at}`, token, body: { targeting_rules } });
  await nameElsewhere('Zebra', token);
});
afterAll(() => server.close());

/** A segment and a flag of another project with a name that searches look for. */
async function nameElsewhere(name: string, token: string): Promise<void> {
  const made = async (url: string, body: unknown): Promise<string> => {
    const answer = await server.call({ method: 'POST', url, token, body });
    expect(answer.status).toBe(201);
    return answer.body.data.id;
  };
  await made(`/projects/${server.projectId}/segments`, { key: 'zebras', name, conditions: [] });
  const project = await made('/projects', { key: 'other', name: 'Other' });
  const environments = await server.call({ url: `/projects/${project}/environments`, token });
  await made(`/flags?environment_id=${environments.body.data[0].id}`, booleanFlag('alpha', { name }));
}

async function list(query = '') {
  const url = `/flags?environment_id=${environment}${query}`;
  return server.call({ url, token: server.tokens.viewer });
}

async function keys(query: string): Promise<string[]> {
  return (await list(query)).body.data.map((flag: { key: string }) => flag.key);
}

test('lists flags with the number of their rules and without the rules', async () => {
  const { status, body } = await list('&search=beta');
  expect(status).toBe(200);
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
  expect(body.data.map((flag: { key: string }) => flag.key)).toEqual(expected);
  expect(body.meta.total).toBe(expected.length);
});

test('cuts pages', async () => {
  const first = await list('&per_page=2');
  expect(first.body.data).toHaveLength(2);
  expect(first.body.meta).toEqual({ page: 1, per_page: 2, total: 3 });
  const second = await list('&per_page=2&page=2');
  expect(second.body.data.map((flag: { key: string }) => flag.key)).toEqual(['alpha']);
  const beyond = await list('&page=9');
  expect(beyond.body).toMatchObject({ data: [], meta: { page: 9, per_page: 50, total: 3 } });
  expect((await list('&per_page=200')).status).toBe(200);
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

test('finds flags by why they are stale, and by when they were last evaluated', async () => {
  const { body } = await list('&search=beta');
  const url = `/flags/${body.data[0].id}/mark-stale?environment_id=${environment}`;
  await server.call({ method: 'POST', url, token: server.tokens.editor, body: { reason: 'not_evaluated' } });
  expect(await keys('&stale_reason=not_evaluated')).toEqual(['beta']);
  expect(await keys('&stale_reason=manual')).toEqual([]);
  await server.db
    .insertInto('counters_hourly')
    .values({
      organization_id: server.organizationId,
      environment_id: environment,
      hour: '2026-11-20T09:00:00.000Z',
      flag_key: 'alpha',
      variation_key: 'on',
      reason: 'DEFAULT',
      rule_id: '',
      count: 1,
    })
    .execute();
  expect((await keys('&evaluated_before=2026-11-20T09:00:00Z')).sort()).toEqual(['beta', 'gamma']);
  expect((await keys('&evaluated_before=2026-11-20T09:30:00Z')).sort()).toEqual(['alpha', 'beta', 'gamma']);
  const alpha = (await list('&search=alpha')).body.data[0];
  expect(alpha.last_evaluated_at).toBe('2026-11-20T09:00:00.000Z');
});
