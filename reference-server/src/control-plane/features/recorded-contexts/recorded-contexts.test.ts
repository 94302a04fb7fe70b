import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, refused } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 3_600_000;
let server: TestServer;
/** Calls the API as the admin, in staging. */
let api: Api;
let environmentId: string;
let flagId: string;
let apiKey: string;

beforeEach(async () => {
  server = await startServer();
  environmentId = server.environments.staging;
  api = server.as('admin').in(environmentId);
  flagId = (await api.flags.create(booleanFlag('cta'))).id;
  const isPro = { attribute: 'plan', operator: 'is' as const, value: 'pro' };
  await api.flags.update(flagId, {
    targeting_rules: [{ priority: 1, name: 'pro', conditions: [isPro], variation: 'on' }],
  });
  await api.flags.toggle(flagId, true);
  apiKey = (await api.apiKeys.create(environmentId, { name: 'k' })).key!;
});
afterEach(() => server.close());

async function record(record_contexts: boolean) {
  await api.environments.update(environmentId, { record_contexts });
  await server.app.runBackground();
}
const evaluate = (user_key: string, attributes: Record<string, string> = {}) =>
  server.withKey(apiKey).dataPlane.evaluate({ flags: ['cta'], context: { user_key, attributes } });

type Instructions = Body<'POST /flags/{flag_id}/preview'>['instructions'];
const DEFAULT_ON: Instructions = [{ op: 'set_default', variation: 'on' }];
const preview = (instructions = DEFAULT_ON, by: Api = server.as('viewer')) =>
  by.in(environmentId).flags.preview(flagId, { instructions, sample: 'recent' });
const rows = () => server.db.selectFrom('recorded_contexts').selectAll().execute();

test('a preview requires contexts or a sample, and the refusal names the missing setting', async () => {
  expect(await refused(preview())).toMatchObject({
    code: 'CONTEXTS_NOT_RECORDED',
    message: expect.stringContaining('record_contexts'),
  });
  for (const more of [{}, { sample: 'recent', contexts: [{}] }]) {
    const body = { instructions: DEFAULT_ON, ...more };
    const { details } = await refused(api.unchecked.flags.preview(flagId, body));
    expect(details.fields[0].field).toBe('contexts');
  }
});

test('contexts are recorded only where the setting is on', async () => {
  await evaluate('ada', { plan: 'pro' });
  await server.app.runBackground();
  expect(await rows()).toEqual([]);
  await record(true);
  expect(await preview()).toEqual({
    contexts: 0,
    changed: 0,
    transitions: [],
    examples: [],
    dependents: [],
    unrecorded_attributes: ['plan'],
  });
});

test('a preview on recorded contexts does not identify users', async () => {
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

  const previewed = await preview();
  expect(previewed).toMatchObject({ contexts: 4, changed: 3, unrecorded_attributes: [] });
  expect(previewed.transitions).toEqual([
    { from: 'off', to: 'on', count: 3 },
    { from: 'on', to: 'on', count: 1 },
  ]);
  expect(previewed.examples[0]!.context.user_key).toMatch(/^anon-/);
});

test('a preview names the attributes that are not recorded, among them user_key', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro', country: 'DE' });
  await server.app.runBackground();
  const conditions = [
    { attribute: 'country', operator: 'is' as const, value: 'DE' },
    { attribute: 'user_key', operator: 'is' as const, value: 'ada' },
  ];
  const rule = { priority: 0, name: 'new', conditions, variation: 'on' };
  expect(await preview([{ op: 'add_rule', rule }])).toMatchObject({
    contexts: 1,
    unrecorded_attributes: ['country', 'user_key'],
  });
});

test('a preview of a rollout shows its real share of users', async () => {
  await record(true);
  for (let user = 0; user < 600; user++) await evaluate(`user-${user}`, { plan: 'free' });
  await server.app.runBackground();
  const share = async (percentage: number) => {
    const percentage_rollout = [
      { variation: 'on', percentage },
      { variation: 'off', percentage: 100 - percentage },
    ];
    const rule = { priority: 2, name: 'some', conditions: [], percentage_rollout };
    const { changed, contexts } = await preview([{ op: 'add_rule', rule }]);
    return changed / contexts;
  };
  expect(await share(20)).toBeCloseTo(0.2, 1);
  expect(await share(70)).toBeCloseTo(0.7, 1);
});

test('recorded contexts are deleted after a day', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro' });
  await server.app.runBackground();
  const contexts = async () => {
    // The first session ends after a day.
    const { api: later } = await enter(server, 'admin@example.com');
    return (await preview(DEFAULT_ON, later)).contexts;
  };
  server.advance(DAY_MS - 1_000);
  expect(await contexts()).toBe(1);
  server.advance(2_000);
  expect(await contexts()).toBe(0);
  await server.app.runBackground();
  expect(await rows()).toEqual([]);
});

test('switching recording off deletes stored and pending contexts, and leaves an audit entry', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro' });
  await server.app.runBackground();
  expect(await rows()).toHaveLength(1);
  await evaluate('bob', { plan: 'pro' });
  await api.environments.update(environmentId, { record_contexts: false });
  expect(await rows()).toEqual([]);
  await server.app.runBackground();
  expect(await rows()).toEqual([]);
  const entries = await api.audit.list({ action: 'environment.updated' });
  expect(entries.map(({ changes }) => changes)).toEqual([
    { record_contexts: { from: true, to: false } },
    { record_contexts: { from: false, to: true } },
  ]);
});

test('switching recording off and on again also deletes pending contexts', async () => {
  await record(true);
  await evaluate('ada', { plan: 'pro' });
  await api.environments.update(environmentId, { record_contexts: false });
  await evaluate('bob', { plan: 'pro' });
  await record(true);
  expect(await rows()).toEqual([]);
  await evaluate('cyd', { plan: 'pro' });
  await server.app.runBackground();
  expect(await rows()).toHaveLength(1);
});

test('cloning an environment does not switch recording on', async () => {
  await record(true);
  const copy = await api.environments.clone(environmentId, { key: 'copy', name: 'Copy' });
  expect(copy.record_contexts).toBe(false);
});

test('everyone may list recorded contexts, with pseudonyms, last recorded first', async () => {
  const list = () => server.as('viewer').environments.recordedContexts(environmentId, {}).answer;
  expect((await list()).body).toMatchObject({ data: [], meta: { total: 0, is_recording: false } });
  await record(true);
  for (const user of ['lovelace', 'turing']) {
    await evaluate(user, { plan: user });
    await server.app.runBackground();
  }
  const { body } = await list();
  expect(body.meta).toEqual({ page: 1, per_page: 50, total: 2, is_recording: true });
  expect(JSON.stringify(body.data)).not.toContain('turing');
  expect(body.data[0]!.recorded_at >= body.data[1]!.recorded_at).toBe(true);
});
