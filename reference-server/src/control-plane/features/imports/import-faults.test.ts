import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { isOnPostgres } from '../../../../test/database.ts';
import { startServer } from '../../../../test/server.ts';

/** Makes the database refuse audit entries of these actions. */
const refuseEntries = (actions: string) =>
  sql.raw(`create trigger refuse before insert on audit_entries
    when new.action in (${actions}) begin select raise(abort, 'no room'); end`);

/** A server that collects its log, with a planned import. */
async function planImport(size: number) {
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const server = await startServer({ logger });
  const api = server.as('admin');
  const variations = [{ key: 'a', value: '' }];
  const flags = Array.from({ length: size }, (_, i) => ({
    key: `new-${i}`,
    flag_type: 'string',
    variations,
    default_variation: 'a',
  }));
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags };
  const { id } = await api.imports.create(server.projectId, { document });
  const read = () => api.imports.get(id);
  const apply = (headers: Record<string, string> = {}) => api.imports.apply(id, {}, { headers });
  return { ...server, logged, read, apply };
}

test.skipIf(isOnPostgres)(
  'an import whose failure cannot be audited stays planned and can be repeated (uses a trigger of SQLite)',
  async () => {
    const { db, close, logged, read, apply } = await planImport(1);
    const wait = { prefer: 'wait=10' };
    await refuseEntries("'import.applied', 'import.failed'").execute(db);
    await apply(wait);
    expect((await read()).status).toBe('planned');
    expect(logged.filter((line) => line.includes('no room'))).toHaveLength(2);

    await sql`drop trigger refuse`.execute(db);
    expect((await apply(wait)).status).toBe('applied');
    await close();
  },
);

test.skipIf(isOnPostgres)(
  'an import that fails after its author has logged out is audited (uses a trigger of SQLite)',
  async () => {
    const { db, close, read, apply } = await planImport(1_000);
    await refuseEntries("'import.applied'").execute(db);
    expect((await apply()).status).toBe('applying');
    // This write waits for the import and comes before the audit entry of its failure.
    await db.updateTable('sessions').set({ revoked_at: '2026-11-20T10:00:00.000Z' }).execute();
    await db.updateTable('sessions').set({ revoked_at: null }).execute();
    expect(await read()).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR' } });
    await close();
  },
);
