import { createEvaluator, type Ruleset } from '@flagsvc/sdk-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let segments: string;
let environment: string;
const keys = { server: '', client: '' };
beforeAll(async () => {
  server = await startServer();
  segments = `/projects/${server.projectId}/segments`;
  environment = server.environments.development;
  for (const kind of ['server', 'client'] as const) {
    const made = await send('POST', `/environments/${environment}/api-keys`, { name: kind, kind });
    keys[kind] = made.body.data.key;
  }
});
afterAll(() => server.close());

const send = (method: 'POST' | 'PUT' | 'GET', url: string, body?: object, headers = {}) =>
  server.call({ method, url, token: server.tokens.admin, body, headers });

const PRO = [{ attribute: 'plan', operator: 'is', value: 'pro' }];
let made = 0;

/** A segment, and a flag that is true for its members. */
async function segmentWith(lists: object, operator = 'one_of') {
  const key = `list-${++made}`;
  const segment = await send('POST', segments, { key, conditions: PRO, ...lists });
  expect(segment.status).toBe(201);
  const flag = await send(
    'POST',
    `/flags?environment_id=${environment}`,
    booleanFlag(`flag-${key}`, { client_side: true }),
  );
  const url = `/flags/${flag.body.data.id}`;
  const conditions = [{ attribute: '$segment', operator, value: [key] }];
  await send('PUT', `${url}?environment_id=${environment}`, {
    targeting_rules: [{ priority: 1, conditions, variation: 'on' }],
  });
  await send('POST', `${url}/toggle?environment_id=${environment}`, { enabled: true });
  return { id: segment.body.data.id as string, key, flag: `flag-${key}` };
}

async function ruleset(kind: keyof typeof keys): Promise<Ruleset> {
  return (await server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': keys[kind] } })).body.data;
}

/** Whether the flag is true for the user: asked of the server, and of an SDK with either kind of key. */
async function isIn(flag: string, user_key: string, plan = 'free'): Promise<boolean> {
  const context = { user_key, attributes: { plan } };
  const remote = await server.call({
    method: 'POST',
    url: '/evaluate',
    headers: { 'x-api-key': keys.server },
    body: { flags: [flag], context },
  });
  const { value } = remote.body.data.evaluations[flag];
  for (const kind of ['server', 'client'] as const) {
    expect(createEvaluator(await ruleset(kind)).evaluate(flag, context).value, kind).toBe(value);
  }
  return value;
}

test.each([
  ['included beside those who meet the conditions', { included: ['ann'] }, [true, false, false]],
  ['excluded although they meet the conditions', { excluded: ['bob'] }, [false, false, false]],
  ['on both lists, and excluded wins', { included: ['ann', 'bob'], excluded: ['ann'] }, [false, true, false]],
  [
    'listed, and nobody else, without conditions',
    { conditions: [], included: ['ann'] },
    [true, false, false],
  ],
  ['not excluded, without conditions and list', { conditions: [], excluded: ['ann'] }, [false, true, true]],
  ['nobody, on an empty list without conditions', { conditions: [], included: [] }, [false, false, false]],
] as const)('has as members who is %s', async (_, lists, [ann, bob, eve]) => {
  const { flag } = await segmentWith(lists);
  expect([await isIn(flag, 'ann'), await isIn(flag, 'bob'), await isIn(flag, 'eve')]).toEqual([
    ann,
    bob,
    eve,
  ]);
  const isProIn = !('conditions' in lists);
  const bobIsOut = 'excluded' in lists && (lists.excluded as readonly string[]).includes('bob');
  if (isProIn) expect(await isIn(flag, 'bob', 'pro')).toBe(!bobIsOut);
});

test('has who is on the list among those whom a negative condition leaves out', async () => {
  const { flag } = await segmentWith({ included: ['ann'], excluded: ['bob'] }, 'not_one_of');
  expect([await isIn(flag, 'ann'), await isIn(flag, 'eve'), await isIn(flag, 'eve', 'pro')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await isIn(flag, 'bob', 'pro')).toBe(true);
});

test('follows a list that comes and goes, in the flags that refer to the segment', async () => {
  const { id, flag } = await segmentWith({});
  expect(await isIn(flag, 'ann')).toBe(false);
  const listed = await send('PUT', `/segments/${id}`, { included: ['ann', 'ann'] });
  expect(listed.body.data).toMatchObject({ included: ['ann'], excluded: [], revision: 2 });
  expect(await isIn(flag, 'ann')).toBe(true);
  await send('PUT', `/segments/${id}`, { excluded: ['ann'] });
  expect(await isIn(flag, 'ann')).toBe(false);
  const gone = await send('PUT', `/segments/${id}`, { included: null, excluded: [] });
  expect(gone.body.data).toMatchObject({ included: null, excluded: [], conditions: PRO });
  expect([await isIn(flag, 'ann'), await isIn(flag, 'ann', 'pro')]).toEqual([false, true]);
});

test('takes 10,000 users on each list and no more, and counts them in lists', async () => {
  const users = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const { id, key, flag } = await segmentWith({
    included: users('in', 10_000),
    excluded: users('out', 10_000),
  });
  expect([await isIn(flag, 'in-9999'), await isIn(flag, 'out-9999', 'pro')]).toEqual([true, false]);
  const list = await send('GET', `${segments}?per_page=200`);
  const item = list.body.data.find((one: { key: string }) => one.key === key);
  expect(item).toMatchObject({ included_count: 10_000, excluded_count: 10_000 });
  expect(item).not.toHaveProperty('included');
  const refused = await send('PUT', `/segments/${id}`, { included: users('in', 10_001) });
  expect([refused.status, refused.body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
});

test('says of a context which list the user is on', async () => {
  const { id } = await segmentWith({ included: ['ann', 'bob'], excluded: ['bob'] });
  const tryOn = async (user_key: string, plan: string) =>
    (await send('POST', `/segments/${id}/test`, { context: { user_key, attributes: { plan } } })).body.data;
  const told = { conditions: [{ ...PRO[0], matched: false }] };
  expect(await tryOn('ann', 'free')).toEqual({ matches: true, included: true, excluded: false, ...told });
  expect(await tryOn('bob', 'free')).toEqual({ matches: false, included: true, excluded: true, ...told });
  expect(await tryOn('eve', 'pro')).toMatchObject({ matches: true, included: false, excluded: false });
});

test('asks about the attribute user_key where a context has one, and says so in the document', async () => {
  const { id } = await segmentWith({ included: ['ann'], excluded: ['bob'] });
  const context = { user_key: 'bob', attributes: { user_key: 'ann', plan: 'pro' } };
  const { body } = await send('POST', `/segments/${id}/test`, { context });
  expect(body.data).toMatchObject({ matches: true, included: true, excluded: false });
  const { paths } = server.app.swagger() as unknown as { paths: Record<string, object> };
  expect(
    JSON.stringify(paths['/api/v1/segments/{segment_id}']).match(/attribute `user_key` of the context/g),
  ).not.toBeNull();
});

test('writes into the audit log only who came and went', async () => {
  const { id } = await segmentWith({ included: ['ann', 'bob'] });
  await send('PUT', `/segments/${id}`, { included: ['bob', 'eve'] });
  const log = await send('GET', `/audit-log?resource_id=${id}&action=segment.updated`);
  expect(log.body.data[0].changes).toEqual({ included: { from: ['ann'], to: ['eve'] } });
});

test('carries lists through export and import', async () => {
  const { key } = await segmentWith({ included: ['ann'], excluded: ['bob'] });
  const { body: document } = await send('GET', `/projects/${server.projectId}/export?include=segments`);
  expect(document.segments.find((one: { key: string }) => one.key === key)).toMatchObject({
    included: ['ann'],
    excluded: ['bob'],
  });
  const again = await send('POST', `/projects/${server.projectId}/imports`, { document });
  expect(again.body.data.plan).toMatchObject({ unchanged: document.segments.length });
  const target = await send('POST', '/projects', { key: 'copied', name: 'copied' });
  const planned = await send('POST', `/projects/${target.body.data.id}/imports`, { document });
  await send('POST', `/imports/${planned.body.data.id}/apply`, {}, { prefer: 'wait=10' });
  const copy = await send('GET', `/projects/${target.body.data.id}/export?include=segments`);
  expect(copy.body.segments).toEqual(document.segments);
});
