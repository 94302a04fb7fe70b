import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refused } from '../../../../test/api-call.ts';
import { enter, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let server: TestServer;
let reported: string[];
beforeEach(async () => {
  reported = [];
  server = await startServer({
    logger: pino({ level: 'error' }, { write: (line: string) => void reported.push(line) }),
  });
});
afterEach(() => server.close());

/** Changes the settings of the organization, after a new login. */
async function update(settings: { audit_retention_days: number }) {
  const { accessToken } = await enter(server, 'admin@example.com');
  return server.withToken(accessToken).organizations.update(server.organizationId, { settings });
}

const entries = () =>
  server.db
    .selectFrom('audit_entries')
    .select(['action', 'changes_json', 'actor_kind'])
    .orderBy('id')
    .execute();

test('entries older than the retention are removed, and their number is recorded', async () => {
  expect((await update({ audit_retention_days: 90 })).settings.audit_retention_days).toBe(90);
  const before = await entries();
  server.advance(89 * DAY_MS);
  await server.app.runBackground();
  expect(await entries()).toEqual(before);
  server.advance(2 * DAY_MS);
  await enter(server, 'late@example.com');
  await server.app.runBackground();
  const after = await entries();
  expect(after.map(({ action }) => action)).toEqual(['member.joined', 'auth.login', 'retention.pruned']);
  expect(after[2]!.actor_kind).toBe('system');
  expect(JSON.parse(after[2]!.changes_json)).toMatchObject({
    audit_entries: { to: before.length },
    audit_retention_days: { to: 90 },
  });
  server.advance(DAY_MS);
  await server.app.runBackground();
  expect(await entries()).toEqual(after);
});

test('all entries are kept by default, and a retention must be at least ninety days', async () => {
  const before = await entries();
  server.advance(4_000 * DAY_MS);
  await server.app.runBackground();
  expect(await entries()).toEqual(before);
  const { details } = await refused(update({ audit_retention_days: 89 }));
  expect(details.fields[0].field).toBe('settings.audit_retention_days');
});

test('many entries are removed in chunks', async () => {
  await update({ audit_retention_days: 90 });
  const [row] = await server.db.selectFrom('audit_entries').selectAll().execute();
  for (let from = 0; from < 12_000; from += 500) {
    const ids = Array.from({ length: 500 }, (_, index) => `evt_00${String(from + index).padStart(24, '0')}`);
    await server.db
      .insertInto('audit_entries')
      .values(ids.map((id) => ({ ...row!, id })))
      .execute();
  }
  server.advance(DAY_MS);
  await server.app.runBackground();
  const pruned = (await entries()).filter(({ action }) => action === 'retention.pruned');
  expect(pruned.map(({ changes_json }) => JSON.parse(changes_json).audit_entries.to)).toEqual([
    5_000, 5_000, 2_000,
  ]);
});

test('a failure in one organization is logged and does not stop the others', async () => {
  const { organizationId } = await addTenant(server);
  const store = (id: string, settings_json: string) =>
    server.db.updateTable('organizations').set({ settings_json }).where('id', '=', id).execute();
  await store(server.organizationId, 'not JSON');
  await store(organizationId, '{"audit_retention_days":90}');
  server.advance(91 * DAY_MS);
  await server.app.runBackground();
  const kept = await server.db
    .selectFrom('audit_entries')
    .select('action')
    .where('organization_id', '=', organizationId)
    .execute();
  expect(kept.map(({ action }) => action)).toEqual(['retention.pruned']);
  const failure = reported.map((line) => JSON.parse(line)).find(({ job }) => job === 'audit retention');
  expect(failure.err.message).toContain(`1 of 2 failed: ${server.organizationId}`);
});
