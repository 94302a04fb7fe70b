import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { isOnPostgres } from '../../../../test/database.ts';
import { startServer } from '../../../../test/server.ts';

/** Entries of these actions cannot be written, as if the disk were full. */
const refuse = (actions: string) =>
  sql.raw(`create trigger refuse before insert on audit_entries
    when new.action in (${actions}) begin select raise(abort, 'no room'); end`);

/** A server whose errors are collected, and an import that is planned on it. */
async function planImport(size: number) {
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const server = await startServer({ logger });
  const { call, tokens, projectId } = server;
  const variations = [{ key: 'a', value: '' }];
  const flags = Array.from({ length: size }, (_, i) => ({
    key: `new-${i}`,
    flag_type: 'string',
    variations,
    default_variation: 'a',
  }));
  const send = (url: string, body: object, headers = {}) =>
    call({ method: 'POST', url, token: tokens.admin, body, headers });
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags };
  const planned = await send(`/projects/${projectId}/imports`, { document });
  const url = `/imports/${planned.body.data.id}`;
  const apply = (headers = {}) => send(`${url}/apply`, {}, headers);
  return { ...server, logged, url, apply };
}

test.skipIf(isOnPostgres)(
  'an import whose failure cannot be written down either stays planned, and may be tried again',
  async () => {
    const { call, tokens, db, close, logged, url, apply } = await planImport(1);
    const wait = { prefer: 'wait=10' };
    await refuse(`'import.applied', 'import.failed'`).execute(db);
    await apply(wait);
    expect((await call({ url, token: tokens.admin })).body.data.status).toBe('planned');
    expect(logged.filter((line) => line.includes('no room'))).toHaveLength(2);

    await sql`drop trigger refuse`.execute(db);
    expect((await apply(wait)).body.data.status).toBe('applied');
    await close();
  },
);

test.skipIf(isOnPostgres)(
  'an import that fails after its author has logged out is written down like every other',
  async () => {
    const { call, tokens, db, close, url, apply } = await planImport(1_000);
    await refuse(`'import.applied'`).execute(db);
    expect((await apply()).body.data.status).toBe('applying');
    // Waits for the import, and is in time for what is written of its end.
    await db.updateTable('sessions').set({ revoked_at: '2026-11-20T10:00:00.000Z' }).execute();
    await db.updateTable('sessions').set({ revoked_at: null }).execute();
    const { body } = await call({ url, token: tokens.admin });
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR' } });
    await close();
  },
);
