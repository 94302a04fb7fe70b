import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
let ids: Record<string, string>;
beforeAll(async () => {
  server = await startServer();
  const { development } = server.environments;
  const make = async (url: string, body: object) => (await send('POST', url, body)).body.data.id as string;
  ids = {
    organization: server.organizationId,
    project: server.projectId,
    environment: development,
    flag: await make(`/flags?environment_id=${development}`, booleanFlag('a')),
    segment: await make(`/projects/${server.projectId}/segments`, { key: 's', conditions: [] }),
    key: await make(`/environments/${development}/api-keys`, { name: 'k' }),
    webhook: await make('/webhooks', { url: 'https://hooks.example.com/', events: ['*'] }),
    window: await make('/freeze-windows', { name: 'w', starts_at: '2027-01-01T00:00:00Z' }),
    plan: await make(
      `/flags/${await make(`/flags?environment_id=${development}`, booleanFlag('planned'))}/scheduled-changes`,
      {
        environment_id: development,
        execute_at: '2027-01-01T00:00:00Z',
        changes: [{ op: 'set_enabled', enabled: true }],
      },
    ),
    member: (await server.call({ url: '/auth/me', token: server.tokens.viewer })).body.data.id,
  };
});
afterAll(() => server.close());

const send = (method: string, url: string, body: object) =>
  server.call({ method: method as 'POST', url, token: server.tokens.admin, body });

/** All that a change leaves behind, beside the resource itself. */
async function traces() {
  const count = async (table: 'audit_entries' | 'outbox' | 'flag_revisions') =>
    (await server.db.selectFrom(table).selectAll().execute()).length;
  return {
    entries: await count('audit_entries'),
    messages: await count('outbox'),
    revisions: await count('flag_revisions'),
    versions: await server.db.selectFrom('rulesets').select(['environment_id', 'version']).execute(),
  };
}

const rule = { priority: 1, name: 'all', conditions: [], variation: 'on' };
/** The calls: `:name` is an id, `~` the query that names the environment. */
const CALLS: readonly (readonly [method: string, url: string, body: object])[] = [
  ['POST', '/flags/:flag/toggle~', { enabled: true }],
  ['PUT', '/flags/:flag~', { name: 'Other', tags: ['t'], prerequisites: [], comment: 'again' }],
  ['PATCH', '/flags/:flag~', { instructions: [{ op: 'set_default', variation: 'on' }] }],
  ['PUT', '/projects/:project/flags/by-key/a~', { ...booleanFlag('a'), enabled: false }],
  ['PUT', '/segments/:segment', { name: 'Other', included: ['ada'] }],
  ['PATCH', '/projects/:project', { name: 'Other', settings: { require_description: true } }],
  ['PATCH', '/environments/:environment', { name: 'Other', color: '#123456' }],
  ['PATCH', '/organizations/:organization', { name: 'Other' }],
  ['PATCH', '/organizations/:organization/members/:member', { role: 'editor' }],
  ['PUT', '/projects/:project/members/:member', { role: 'admin' }],
  ['PATCH', '/api-keys/:key', { name: 'Other' }],
  ['PATCH', '/webhooks/:webhook', { description: 'Other', headers: { 'x-token': 'secret' } }],
  ['PATCH', '/freeze-windows/:window', { name: 'Other' }],
  ['PATCH', '/scheduled-changes/:plan', { on_freeze: 'fail', comment: 'again' }],
];

test.each(CALLS)('%s %s leaves a trace once, and none when it is said again', async (method, path, body) => {
  const url = path
    .replace(/:(\w+)/g, (_, name: string) => ids[name]!)
    .replace('~', `?environment_id=${server.environments.development}`);
  const before = await traces();
  const first = await send(method, url, body);
  expect(first.status).toBe(200);
  const after = await traces();
  expect([after.entries, after.messages]).toEqual([before.entries + 1, before.messages + 1]);
  const again = await send(method, url, body);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(again.headers['etag']).toBe(first.headers['etag']);
  expect(await traces()).toEqual(after);
});

test('a set of headers that differs only in what nobody is shown is a change', async () => {
  const url = `/webhooks/${ids['webhook']}`;
  await send('PATCH', url, { headers: { 'x-token': 'one' } });
  const before = await traces();
  await send('PATCH', url, { headers: { 'x-token': 'two' } });
  expect((await traces()).entries).toBe(before.entries + 1);
});

test('a flag that is promoted or restored to what it is already leaves no trace', async () => {
  const { development, staging } = server.environments;
  await send('PUT', `/flags/${ids['flag']}?environment_id=${development}`, { targeting_rules: [rule] });
  const promote = () =>
    send('POST', `/flags/${ids['flag']}/promote`, {
      source_environment_id: development,
      target_environment_ids: [staging],
    });
  await promote();
  const { revision } = (
    await server.call({
      url: `/flags/${ids['flag']}?environment_id=${development}`,
      token: server.tokens.viewer,
    })
  ).body.data;
  const before = await traces();
  expect((await promote()).status).toBe(200);
  const url = `/flags/${ids['flag']}/revisions/${revision}/restore?environment_id=${development}`;
  expect((await send('POST', url, {})).status).toBe(200);
  expect(await traces()).toEqual(before);
});
