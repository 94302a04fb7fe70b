import { expect, test } from 'vitest';
import { enter, startServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test('nightly jobs delete sessions, invitations, password resets and imported documents 30 days after their end', async () => {
  const server = await startServer({ sendMail: async () => {} });
  const { db, organizationId, projectId } = server;
  const api = server.as('admin');
  await api.invitations.create(organizationId, { email: 'new@example.com', role: 'viewer' });
  await api.auth.forgotPassword({ email: 'viewer@example.com' });
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [] };
  const applied = await api.imports.create(projectId, { document });
  await api.imports.apply(applied.id);
  await api.imports.create(projectId, { document });
  const left = async (days: number) => {
    server.advance(days * DAY_MS);
    await server.app.runBackground();
    const tables = ['sessions', 'invitations', 'password_resets', 'imports'] as const;
    const counts = await Promise.all(
      tables.map(async (table) => (await db.selectFrom(table).selectAll().execute()).length),
    );
    const imports = await db.selectFrom('imports').select('document_json').orderBy('id').execute();
    return [...counts, imports[0]?.document_json];
  };
  expect(await left(29)).toEqual([3, 1, 1, 2, expect.stringContaining('kind')]);
  // The 30 days begin when a session or an invitation expires.
  await left(90);
  await enter(server, 'admin@example.com');
  expect(await left(1)).toEqual([1, 0, 0, 1, '{}']);
  await server.close();
});
