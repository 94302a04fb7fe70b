import { createEvaluator, type Ruleset } from '@flagsvc/sdk-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, type ConditionBody, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
/** Calls the API as the admin, in development. */
let api: Api;
const keys = { server: '', client: '' };
beforeAll(async () => {
  server = await startServer();
  const { development } = server.environments;
  api = server.as('admin').in(development);
  for (const kind of ['server', 'client'] as const)
    keys[kind] = (await api.apiKeys.create(development, { name: kind, kind })).key!;
});
afterAll(() => server.close());

const PRO: ConditionBody = { attribute: 'plan', operator: 'is', value: 'pro' };
let made = 0;

/** Creates a segment of the users with the plan "pro", and a flag that is true for its members. */
async function segmentWith(lists: object, operator: 'one_of' | 'not_one_of' = 'one_of') {
  const key = `list-${++made}`;
  const { id } = await api.segments.create(server.projectId, { key, conditions: [PRO], ...lists });
  const flag = await api.flags.create(booleanFlag(`flag-${key}`, { client_side: true }));
  const conditions: ConditionBody[] = [{ attribute: '$segment', operator, value: [key] }];
  await api.flags.update(flag.id, { targeting_rules: [{ priority: 1, conditions, variation: 'on' }] });
  await api.flags.toggle(flag.id, true);
  return { id, key, flag: flag.key };
}

/** Whether the flag is true for the user; expects the server and SDKs with either kind of key to agree. */
async function isIn(flag: string, user_key: string, plan = 'free'): Promise<boolean> {
  const context = { user_key, attributes: { plan } };
  const body = { flags: [flag], context };
  const { evaluations } = await server.withKey(keys.server).dataPlane.evaluate(body);
  const value = evaluations[flag]!.value as boolean;
  for (const kind of ['server', 'client'] as const) {
    const ruleset = (await server.withKey(keys[kind]).dataPlane.ruleset()) as Ruleset;
    expect(createEvaluator(ruleset).evaluate(flag, context).value, kind).toBe(value);
  }
  return value;
}

test.each([
  ['contains included users and those who meet the conditions', { included: ['ann'] }, [true, false, false]],
  ['leaves out excluded users who meet the conditions', { excluded: ['bob'] }, [false, false, false]],
  ['leaves out users on both lists', { included: ['ann', 'bob'], excluded: ['ann'] }, [false, true, false]],
  [
    'contains only included users when it has no conditions',
    { conditions: [], included: ['ann'] },
    [true, false, false],
  ],
  [
    'contains everyone except excluded users when it has neither conditions nor an inclusion list',
    { conditions: [], excluded: ['ann'] },
    [false, true, true],
  ],
  [
    'contains nobody when its inclusion list is empty and it has no conditions',
    { conditions: [], included: [] },
    [false, false, false],
  ],
] as const)('a segment %s', async (_, lists, [ann, bob, eve]) => {
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

test('included users count as members in a negative condition', async () => {
  const { flag } = await segmentWith({ included: ['ann'], excluded: ['bob'] }, 'not_one_of');
  expect([await isIn(flag, 'ann'), await isIn(flag, 'eve'), await isIn(flag, 'eve', 'pro')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await isIn(flag, 'bob', 'pro')).toBe(true);
});

test('a change to the lists of a segment changes the flags that refer to it', async () => {
  const { id, flag } = await segmentWith({});
  expect(await isIn(flag, 'ann')).toBe(false);
  const listed = await api.segments.update(id, { included: ['ann', 'ann'] });
  expect(listed).toMatchObject({ included: ['ann'], excluded: [], revision: 2 });
  expect(await isIn(flag, 'ann')).toBe(true);
  await api.segments.update(id, { excluded: ['ann'] });
  expect(await isIn(flag, 'ann')).toBe(false);
  const cleared = await api.segments.update(id, { included: null, excluded: [] });
  expect(cleared).toMatchObject({ included: null, excluded: [], conditions: [PRO] });
  expect([await isIn(flag, 'ann'), await isIn(flag, 'ann', 'pro')]).toEqual([false, true]);
});

test('each list has at most 10,000 users, and the list of segments shows the counts', async () => {
  const users = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const { id, key, flag } = await segmentWith({
    included: users('in', 10_000),
    excluded: users('out', 10_000),
  });
  expect([await isIn(flag, 'in-9999'), await isIn(flag, 'out-9999', 'pro')]).toEqual([true, false]);
  const segments = await api.segments.list(server.projectId, { per_page: 200 });
  const item = segments.find((segment) => segment.key === key);
  expect(item).toMatchObject({ included_count: 10_000, excluded_count: 10_000 });
  expect(item).not.toHaveProperty('included');
  expect(await codeOf(api.segments.update(id, { included: users('in', 10_001) }))).toBe('LIMIT_EXCEEDED');
});

test("testing a context shows which of the segment's lists its user is on", async () => {
  const { id } = await segmentWith({ included: ['ann', 'bob'], excluded: ['bob'] });
  const tryOn = (user_key: string, plan: string) =>
    api.segments.test(id, { context: { user_key, attributes: { plan } } });
  const conditions = [{ ...PRO, matched: false }];
  expect(await tryOn('ann', 'free')).toEqual({ matches: true, included: true, excluded: false, conditions });
  expect(await tryOn('bob', 'free')).toEqual({ matches: false, included: true, excluded: true, conditions });
  expect(await tryOn('eve', 'pro')).toMatchObject({ matches: true, included: false, excluded: false });
});

test('the lists match the attribute user_key of a context if it has one', async () => {
  const { id } = await segmentWith({ included: ['ann'], excluded: ['bob'] });
  const context = { user_key: 'bob', attributes: { user_key: 'ann', plan: 'pro' } };
  expect(await api.segments.test(id, { context })).toMatchObject({
    matches: true,
    included: true,
    excluded: false,
  });
  const { paths } = server.app.swagger() as unknown as { paths: Record<string, object> };
  const text = JSON.stringify(paths['/api/v1/segments/{segment_id}']);
  expect(text).toContain('attribute `user_key` of the context');
});

test('the audit log records only added and removed users', async () => {
  const { id } = await segmentWith({ included: ['ann', 'bob'] });
  await api.segments.update(id, { included: ['bob', 'eve'] });
  const [entry] = await api.audit.list({ resource_id: id, action: 'segment.updated' });
  expect(entry!.changes).toEqual({ included: { from: ['ann'], to: ['eve'] } });
});

test('lists are exported and imported', async () => {
  const { key } = await segmentWith({ included: ['ann'], excluded: ['bob'] });
  const exportOf = async (projectId: string) =>
    (await api.raw({ url: `/projects/${projectId}/export?include=segments` })).body;
  const document = await exportOf(server.projectId);
  expect(document.segments.find((segment: { key: string }) => segment.key === key)).toMatchObject({
    included: ['ann'],
    excluded: ['bob'],
  });
  const again = await api.imports.create(server.projectId, { document });
  expect(again.plan).toMatchObject({ unchanged: document.segments.length });
  const copy = await api.projects.create({ key: 'copied', name: 'copied' });
  const planned = await api.imports.create(copy.id, { document });
  await api.imports.apply(planned.id, {}, { headers: { prefer: 'wait=10' } });
  expect((await exportOf(copy.id)).segments).toEqual(document.segments);
});
