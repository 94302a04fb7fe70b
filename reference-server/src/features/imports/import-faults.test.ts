import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { isOnPostgres } from '../../../test/database.ts';
import { startServer } from '../../../test/server.ts';

/** Entries of these actions cannot be written, as if the disk were full. */
const refuse = (actions: string) =>
  sql.raw(`create trigger refuse before insert on audit_entries
    when new.action in (${actions}) begin select raise(abort, 'no room'); end`);

test.skipIf(isOnPostgres)(
  'an import whose failure cannot be written down either stays planned, and may be tried again',
  async () => {
    const logged: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
    const { call, tokens, projectId, db, close } = await startServer({ logger });
    const send = (url: string, body: object, headers = {}) =>
      call({ method: 'POST', url, token: tokens.admin, body, headers });
    const document = {
      apiVersion: 'flagsvc/v1',
      kind: 'Project',
      flags: [
        { key: 'new', flag_type: 'string', variations: [{ key: 'a', value: '' }], default_variation: 'a' },
      ],
    };
    const planned = await send(`/projects/${projectId}/imports`, { document });
    const url = `/imports/${planned.body.data.id}`;
    const apply = () => send(`${url}/apply`, {}, { prefer: 'wait=10' });

    await refuse(`'import.applied', 'import.failed'`).execute(db);
    await apply();
    expect((await call({ url, token: tokens.admin })).body.data.status).toBe('planned');
    expect(logged.filter((line) => line.includes('no room'))).toHaveLength(2);

    await sql`drop trigger refuse`.execute(db);
    expect((await apply()).body.data.status).toBe('applied');
    await close();
  },
);
