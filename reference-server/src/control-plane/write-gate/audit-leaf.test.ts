import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../test/server.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';

const USER_AGENT = "Grace's browser";
const EMAIL = 'grace@example.com';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const api = server.as('admin');
  const options = { headers: { 'user-agent': USER_AGENT }, comment: 'For the "launch"' };
  const flag = await api.flags.create(booleanFlag('dark-mode', { name: 'Größer' }), options);
  await api.flags.toggle(flag.id, true, options);
  await api.invitations.create(server.organizationId, { email: EMAIL, role: 'viewer' }, options);
  const { id } = await api.freezeWindows.create({ name: 'f', scope: {} });
  await api.freezeWindows.end(id, { comment: 'over' });
});
afterAll(() => server.close());

const listRows = () => server.db.selectFrom('audit_entries').selectAll().orderBy('id').execute();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('each audit entry is stored as canonical JSON with its SHA-256', async () => {
  const rows = await listRows();
  expect(rows.length).toBeGreaterThan(8);
  for (const { content_json, leaf_hash } of rows) {
    expect(canonicalJson(JSON.parse(content_json!))).toBe(content_json);
    expect(sha256(content_json!)).toBe(leaf_hash);
  }
  expect(new Set(rows.map((row) => row.leaf_hash)).size).toBe(rows.length);
});

test('an audit entry contains what was done, by whom, to what and why', async () => {
  const row = (await listRows()).find(({ action }) => action === 'flag.toggled')!;
  expect(JSON.parse(row.content_json!)).toEqual({
    version: 1,
    id: row.id,
    organization_id: server.organizationId,
    created_at: row.created_at,
    action: 'flag.toggled',
    actor: { kind: 'user', id: row.actor_id, token_id: null },
    via: 'api',
    request_id: row.request_id,
    resource: { type: 'flag', id: row.resource_id, key: 'dark-mode', revision: row.revision },
    project_id: server.projectId,
    environment_id: server.environments.production,
    is_shared: false,
    changes: { enabled: { from: false, to: true } },
    comment: 'For the "launch"',
    break_glass_id: null,
  });
});

test('the hashed content has no personal fields', async () => {
  for (const { content_json } of await listRows()) {
    expect(content_json).not.toMatch(/@example\.com|127\.0\.0\.1|browser/);
  }
});

test('the hash stays valid when the personal fields are erased', async () => {
  const before = await listRows();
  expect(JSON.stringify(before)).toContain(EMAIL);
  for (const { id, content_json, resource_key } of before) {
    const { changes, resource } = JSON.parse(content_json!);
    await server.db
      .updateTable('audit_entries')
      .set({
        actor_email: null,
        actor_name: null,
        ip: null,
        user_agent: null,
        resource_key: resource.key === resource_key ? resource_key : null,
        changes_json: JSON.stringify(changes),
      })
      .where('id', '=', id)
      .execute();
  }
  const after = await listRows();
  expect(JSON.stringify(after)).not.toMatch(/@example\.com|127\.0\.0\.1|browser/);
  expect(after.map((row) => sha256(row.content_json!))).toEqual(before.map((row) => row.leaf_hash));
  const { id } = before.find(({ action }) => action === 'member.invited')!;
  const entry = await server.as('admin').audit.get(id);
  expect(entry).toMatchObject({ actor: { email: null }, resource: { key: null }, ip: null });
});
