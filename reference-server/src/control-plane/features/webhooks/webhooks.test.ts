import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { startWebhookServer, type WebhookServer } from '../../../../test/webhook-server.ts';

const HOUR_MS = 3_600_000;

let hooks: WebhookServer;
beforeEach(async () => {
  hooks = await startWebhookServer();
});
afterEach(() => hooks.close());

test('a webhook gets the events that match its types, project, environments and tags', async () => {
  const { production, staging } = hooks.server.environments;
  const webhooks = {
    toggles: await hooks.createWebhook({ events: ['flag.toggled'] }),
    staging: await hooks.createWebhook({ events: ['*'], environment_ids: [staging] }),
    tagged: await hooks.createWebhook({ events: ['flag.*'], tags: ['ops'] }),
    project: await hooks.createWebhook({
      events: ['*'],
      project_id: hooks.server.projectId,
      payload: 'thin',
    }),
    rulesets: await hooks.createWebhook({ events: ['ruleset.updated'], environment_ids: [production] }),
  };
  const before = (await hooks.readMessages()).length;
  const plain = await hooks.createFlag('plain');
  await hooks.createFlag('tagged', { tags: ['ops'] });
  await hooks.api.flags.toggle(plain, true);
  await hooks.api.in(staging).flags.toggle(plain, true);
  await hooks.api.projects.create({ key: 'other', name: 'Other' });
  await hooks.run();
  const rows = await hooks.readMessages();
  const typesOf = (hook: { id: string }) =>
    rows
      .slice(before)
      .filter((row) => row.webhook_id === hook.id)
      .map((row) => row.type);
  expect(typesOf(webhooks.toggles)).toEqual(['flag.toggled', 'flag.toggled']);
  // A new flag changes the rulesets of all environments of its project.
  expect(typesOf(webhooks.staging)).toEqual(['flag.created', 'flag.created', 'flag.toggled']);
  expect(typesOf(webhooks.tagged)).toEqual(['flag.created']);
  expect(typesOf(webhooks.project)).toEqual(['flag.created', 'flag.created', 'flag.toggled', 'flag.toggled']);
  expect(typesOf(webhooks.rulesets)).toEqual(['ruleset.updated', 'ruleset.updated', 'ruleset.updated']);
  const thin = JSON.parse(rows.find((row) => row.webhook_id === webhooks.project.id)!.body).data;
  expect(thin).not.toHaveProperty('changes');
  expect(thin.flag).toEqual({ id: plain, key: 'plain' });
});

test('a flag marked as stale causes flag.stale and flag.marked_stale, each sent to the webhooks that subscribe to it', async () => {
  const one = await hooks.createWebhook({ events: ['flag.stale'] });
  const old = await hooks.createWebhook({ events: ['flag.marked_stale'] });
  const all = await hooks.createWebhook({ events: ['*'] });
  // The flag is marked as stale in production, and shows as stale in every environment.
  const { staging } = hooks.server.environments;
  const elsewhere = await hooks.createWebhook({ events: ['flag.stale'], environment_ids: [staging] });
  const byHand = await hooks.createFlag('by-hand');
  const inBulk = await hooks.createFlag('in-bulk');
  await hooks.createFlag('by-night', { expected_end_at: '2026-11-20T12:00:00Z' });
  await hooks.run();
  hooks.receiver.received.length = 0;
  await hooks.api.flags.markStale(byHand);
  await hooks.api.flags.bulk({
    action: 'mark_stale',
    environment_id: hooks.server.environments.production,
    flag_ids: [inBulk],
  });
  hooks.server.advance(18 * HOUR_MS);
  await hooks.run();
  await hooks.run();
  const rows = await hooks.readMessages();
  const sentTo = ({ id }: { id: string }) =>
    rows
      .filter((row) => row.webhook_id === id && /stale/.test(row.type))
      .map((row) => [row.type, ...whoOf(JSON.parse(row.body))].join(' '))
      .sort();
  const whoOf = ({ data }: { data: { flag: { key: string }; actor: { kind: string } } }) => [
    data.flag.key,
    data.actor.kind,
  ];
  const whose = ['by-hand user', 'by-night system', 'in-bulk user'];
  const newNames = whose.map((who) => `flag.stale ${who}`);
  const oldNames = whose.map((who) => `flag.marked_stale ${who}`);
  expect(sentTo(one)).toEqual(newNames);
  expect(sentTo(old)).toEqual(oldNames);
  expect(sentTo(all)).toEqual([...oldNames, ...newNames]);
  expect(sentTo(elsewhere)).toEqual(newNames);
  const stale = hooks.receiver.received.find(({ body }) => body.type === 'flag.stale')!.body;
  expect(stale.data.changes).toMatchObject({ status: { from: 'active', to: 'stale' } });
});

test('a test message is sent at once, and its answer reveals little about an unreachable address', async () => {
  const { id } = await hooks.createWebhook();
  hooks.receiver.answer({ status: 202, body: 'thanks' });
  expect(await hooks.api.webhooks.test(id)).toMatchObject({
    type: 'ping',
    status: 'succeeded',
    status_code: 202,
    response_excerpt: 'thanks',
  });
  expect(hooks.receiver.received[0]!.body).toMatchObject({ type: 'ping', data: { webhook_id: id } });
  const { port } = hooks.receiver;
  await hooks.receiver.close();
  expect(await hooks.api.webhooks.test(id)).toMatchObject({
    status: 'failed',
    status_code: null,
    fault: 'unreachable',
  });
  const toPrivate = hooks.api.webhooks.create({ url: `https://10.0.0.1:${port}/`, events: ['*'] });
  expect(await codeOf(toPrivate)).toBe('URL_NOT_ALLOWED');
  // A test message is not retried.
  await hooks.run();
  expect((await hooks.readMessages()).every((row) => row.status !== 'pending')).toBe(true);
});

test('secrets and headers are in no answer and no audit entry, and are encrypted in the database', async () => {
  const { id, secret } = await hooks.createWebhook({
    url: `${hooks.receiver.url}?token=topsecret`,
    headers: { authorization: 'Bearer hidden' },
  });
  await hooks.api.webhooks.update(id, { headers: { 'x-b': 'hidden2' } });
  const rows = await hooks.server.db.selectFrom('webhooks').selectAll().execute();
  const entries = await hooks.server.db.selectFrom('audit_entries').selectAll().execute();
  const text = JSON.stringify([await hooks.api.webhooks.list(), rows, entries]);
  for (const hidden of [secret!.slice(6), 'hidden']) expect(text).not.toContain(hidden);
  expect(JSON.stringify(entries)).not.toContain('topsecret');
  await hooks.createFlag('x');
  await hooks.run();
  expect(hooks.receiver.received[0]!.headers['x-b']).toBe('hidden2');
  expect(hooks.receiver.received[0]!.headers).not.toHaveProperty('authorization');
});

test.each([
  [{ events: ['flag'] }, 'events.0'],
  [{ events: [] }, 'events'],
  [{ headers: { 'webhook-id': 'x' } }, 'headers.webhook-id'],
  [{ headers: { 'content-length': '1' } }, 'headers.content-length'],
  [{ headers: { 'x-a': 'a\r\nhost: b' } }, 'headers.x-a'],
  [{ headers: { 'a b': 'c' } }, 'headers.a b'],
  [{ payload: 'fat' }, 'payload'],
])('a webhook with %j is refused', async (more, field) => {
  const body = { url: hooks.receiver.url, events: ['*'], ...more };
  const { code, details } = await refused(hooks.api.unchecked.webhooks.create(body));
  expect([code, details.fields[0].field]).toEqual(['VALIDATION_ERROR', field]);
});

test('an organization has at most 50 webhooks outside projects, and unknown projects and environments are refused', async () => {
  const create = (more: Partial<Body<'POST /webhooks'>> = {}) =>
    hooks.api.webhooks.create({ url: hooks.receiver.url, events: ['*'], ...more });
  for (let count = 0; count < 50; count++) await create();
  expect(await codeOf(create())).toBe('LIMIT_EXCEEDED');
  const { projectId: project_id } = hooks.server;
  expect(await codeOf(create({ project_id }))).toBe('OK');
  expect(await hooks.api.webhooks.list({ project_id })).toHaveLength(1);
  expect(await codeOf(create({ project_id: 'prj_x' }))).toBe('PROJECT_NOT_FOUND');
  expect(await codeOf(create({ environment_ids: ['env_x'] }))).toBe('ENVIRONMENT_NOT_FOUND');
  const [webhook] = await hooks.api.webhooks.list({ per_page: 1 });
  expect(await codeOf(hooks.api.webhooks.delete(webhook!.id))).toBe('OK');
});
