import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 3_600_000;
let server: TestServer;
let environmentId: string;
let flagId: string;
let apiKey: string;

beforeEach(async () => {
  server = await startServer();
  environmentId = server.environments.staging;
  const isPro = { attribute: 'plan', operator: 'is', value: 'pro' };
  const rule = { priority: 1, name: 'pro', conditions: [isPro], variation: 'on' };
  const query = `?environment_id=${environmentId}`;
  const body = booleanFlag('cta', { default_variation: 'off' });
  flagId = (await admin('POST', `/flags${query}`, body)).id;
  await admin('PUT', `/flags/${flagId}${query}`, { targeting_rules: [rule] });
  await admin('POST', `/flags/${flagId}/toggle${query}`, { enabled: true });
  apiKey = (await admin('POST', `/environments/${environmentId}/api-keys`, { name: 'k' })).key;
});
afterEach(() => server.close());

async function admin(method: 'POST' | 'PUT' | 'PATCH', url: string, body: object) {
  const answer = await server.call({ method, url, token: server.tokens.admin, body });
  expect([url, answer.body.error]).toEqual([url, undefined]);
  return answer.body.data;
}
async function record(isOn: boolean) {
  await admin('PATCH', `/environments/${environmentId}`, { record_contexts: isOn });
  await server.app.runBackground();
}
const evaluate = (user_key: string, attributes: object = {}) =>
  server.call({
    method: 'POST',
    url: '/evaluate',
    headers: { 'x-api-key': apiKey },
    body: { flags: ['cta'], context: { user_key, attributes } },
  });
const preview = (more: object, instructions: object[] = [{ op: 'set_default', variation: 'on' }]) =>
  server.call({
    method: 'POST',
    url: `/flags/${flagId}/preview?environment_id=${environmentId}`,
    token: server.tokens.viewer,
    body: { instructions, ...more },
  });
const rows = () => server.db.selectFrom('recorded_contexts').selectAll().execute();

test('names the missing setting, and requires contexts or a sample', async () => {
  const { status, body } = await preview({ sample: 'recent' });
  expect([status, body.error.code]).toEqual([409, 'CONTEXTS_NOT_RECORDED']);
  expect(body.error.message).toContain('record_contexts');
  for (const more of [{}, { sample: 'recent', contexts: [{}] }]) {
    const refused = await preview(more);
    expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([400, 'contexts']);
  }
});

test('records only where it is switched on, and reports an environment without evaluations', async () => {
  await evaluate('ada', { plan: 'pro' });
  await server.app.runBackground();
  expect(await rows()).toEqual([]);
  await record(true);
  expect((await preview({ sample: 'recent' })).body.data).toEqual({
    contexts: 0,
    changed: 0,
    transitions: [],
    examples: [],
    dependents: [],
    unrecorded_attributes: ['plan'],
  });
});

test('previews a change for recorded contexts without identifying users', async () => {
  await record(true);
  for (const [user, plan] of Object.entries({ lovelace: 'pro', turing: 'free', hopper: 'free' })) {
    for (let time = 0; time < 3; time++) await evaluate(user, { plan, phone: '030 123' });
  }
  const ofrep = await server.app.inject({
    method: 'POST',
    url: '/ofrep/v1/evaluate/flags/cta',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    payload: { context: { targetingKey: 'knuth', plan: 'free' } },
  });
  expect(ofrep.statusCode).toBe(200);
  await server.app.runBackground();
  const text = JSON.stringify(await rows());
  for (const word of ['lovelace', 'turing', 'hopper', 'knuth', 'phone', '030 123'])
    expect(text).not.toContain(word);

  const { body } = await preview({ sample: 'recent' });
  expect(body.data).toMatchObject({ contexts: 4, changed: 3, unrecorded_attributes: [] });
  expect(body.data.transitions).toEqual([
    { from: 'off', to: 'on', count: 3 },
    { from: 'on', to: 'on', count: 1 },
  ]);
  expect(body.data.examples[0].context.user_key).toMatch(/^anon-/);
});

test('names attributes that were not recorded, and user keys, which never are', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro', country: 'DE' });
  await server.app.runBackground();
  const conditions = [
    { attribute: 'country', operator: 'is', value: 'DE' },
    { attribute: 'user_key', operator: 'is', value: 'ada' },
  ];
  const rule = { priority: 0, name: 'new', conditions, variation: 'on' };
  const { body } = await preview({ sample: 'recent' }, [{ op: 'add_rule', rule }]);
  expect(body.data).toMatchObject({ contexts: 1, unrecorded_attributes: ['country', 'user_key'] });
});

test('previews a rollout with its real share of users', async () => {
  await record(true);
  for (let user = 0; user < 600; user++) await evaluate(`user-${user}`, { plan: 'free' });
  await server.app.runBackground();
  const share = async (percentage: number) => {
    const percentage_rollout = [
      { variation: 'on', percentage },
      { variation: 'off', percentage: 100 - percentage },
    ];
    const rule = { priority: 2, name: 'some', conditions: [], percentage_rollout };
    const { body } = await preview({ sample: 'recent' }, [{ op: 'add_rule', rule }]);
    return body.data.changed / body.data.contexts;
  };
  expect(await share(20)).toBeCloseTo(0.2, 1);
  expect(await share(70)).toBeCloseTo(0.7, 1);
});

test('deletes contexts after a day', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro' });
  await server.app.runBackground();
  const contexts = async () => {
    const { accessToken: token } = await enter(server, 'admin@example.com');
    const url = `/flags/${flagId}/preview?environment_id=${environmentId}`;
    const body = { instructions: [{ op: 'set_default', variation: 'on' }], sample: 'recent' };
    return (await server.call({ method: 'POST', url, token, body })).body.data.contexts;
  };
  server.advance(DAY_MS - 1_000);
  expect(await contexts()).toBe(1);
  server.advance(2_000);
  expect(await contexts()).toBe(0);
  await server.app.runBackground();
  expect(await rows()).toEqual([]);
});

test('switching off deletes stored and pending contexts and leaves an audit entry', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro' });
  await server.app.runBackground();
  expect(await rows()).toHaveLength(1);
  await evaluate('bob', { plan: 'pro' });
  await admin('PATCH', `/environments/${environmentId}`, { record_contexts: false });
  expect(await rows()).toEqual([]);
  await server.app.runBackground();
  expect(await rows()).toEqual([]);
  const log = await server.call({ url: '/audit-log?action=environment.updated', token: server.tokens.admin });
  expect(log.body.data.map((entry: { changes: object }) => entry.changes)).toEqual([
    { record_contexts: { from: true, to: false } },
    { record_contexts: { from: false, to: true } },
  ]);
});

test('switching off and on again also deletes pending contexts', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro' });
  await admin('PATCH', `/environments/${environmentId}`, { record_contexts: false });
  await evaluate('bob', { plan: 'pro' });
  await record(true);
  expect(await rows()).toEqual([]);
  await evaluate('cyd', { plan: 'pro' });
  await server.app.runBackground();
  expect(await rows()).toHaveLength(1);
});

test('cloning an environment does not switch recording on', async () => {
  await record(true);
  const body = { key: 'copy', name: 'Copy' };
  const copy = await admin('POST', `/environments/${environmentId}/clone`, body);
  expect(copy.record_contexts).toBe(false);
});
