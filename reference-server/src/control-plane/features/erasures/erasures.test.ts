import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeOf } from '../../../../test/api-call.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

/** Reports an action of each user in an environment. */
async function report(environment: string, batch_id: string, ...users: string[]): Promise<void> {
  const { key } = await server.as('admin').apiKeys.create(environment, { name: batch_id });
  const timestamp = '2026-11-20T09:00:00.000Z';
  const events = users.map((user_key) => ({
    ...{ type: 'track' as const, id: `${batch_id}-${user_key}`, timestamp, user_key },
    event_name: 'buy',
  }));
  const sdk = { name: 'test', version: '1' };
  await server.withKey(key!).dataPlane.sendEvents({ batch_id, sent_at: timestamp, sdk, events });
}
const stored = async () =>
  (await server.events.selectFrom('track_events_by_day').select('id').orderBy('id').execute()).map(
    ({ id }) => id,
  );

test('an erasure deletes the events of one user in every environment, and forgets the key', async () => {
  const { development, production } = server.environments;
  await report(development, 'dev', 'ada', 'bob');
  await report(production, 'prod', 'ada');
  const { erasures } = server.as('admin');
  const order = await erasures.create({ user_key: 'ada' });
  expect(order).toMatchObject({ status: 'pending', completed_at: null, track_events: 0 });
  expect(JSON.stringify(order)).not.toContain('ada');
  expect(await stored()).toHaveLength(3);
  await server.app.runBackground();
  expect(await stored()).toEqual(['dev-bob']);
  expect(await erasures.list({})).toEqual([
    { ...order, status: 'completed', completed_at: expect.any(String), track_events: 2 },
  ]);
  const rows = await server.db.selectFrom('erasures').select('user_key').execute();
  expect(rows).toEqual([{ user_key: null }]);
  const log = await server.as('admin').audit.list({});
  const own = log.filter(({ action }) => action.startsWith('erasure.'));
  expect(own.map(({ action, actor }) => [action, actor.kind])).toEqual([
    ['erasure.completed', 'system'],
    ['erasure.ordered', 'user'],
  ]);
  const entries = await server.db.selectFrom('audit_entries').selectAll().execute();
  expect(JSON.stringify(entries)).not.toContain('"ada"');
});

test('a dry run orders nothing, and other roles and tenants see nothing', async () => {
  const { erasures, dryRun } = server.as('admin');
  const { plan } = await dryRun.erasures.create({ user_key: 'ada' });
  expect(plan).toMatchObject([{ action: 'erasure.ordered', resource: { type: 'erasure' } }]);
  expect(await erasures.list({})).toEqual([]);
  await erasures.create({ user_key: 'ada' });
  for (const role of ['editor', 'viewer'] as const) {
    expect(await codeOf(server.as(role).erasures.list({}))).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await codeOf(server.as(role).erasures.create({ user_key: 'bob' }))).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
  }
  const stranger = server.withToken((await addTenant(server)).token);
  expect(await stranger.erasures.list({})).toEqual([]);
});

test('an order of another organization does not touch the events of this one', async () => {
  await report(server.environments.development, 'dev', 'ada');
  const stranger = server.withToken((await addTenant(server)).token);
  await stranger.erasures.create({ user_key: 'ada' });
  await server.app.runBackground();
  expect(await stored()).toEqual(['dev-ada']);
  expect(await stranger.erasures.list({})).toMatchObject([{ status: 'completed', track_events: 0 }]);
});
