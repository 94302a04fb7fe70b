import { DAY_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';

/** So long after its end somebody may still ask what became of it. */
const KEPT_MS = 30 * DAY_MS;

/** Deletes sessions, invitations and password resets that ended long ago; what happened is in the audit log. */
export async function prunePeople(db: Database, now: number): Promise<void> {
  const before = new Date(now - KEPT_MS).toISOString();
  await db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expires_at', '<', before), eb('revoked_at', '<', before)]))
    // With a login its break-glass sessions end, and their records say so.
    .where('id', 'not in', (eb) => eb.selectFrom('break_glass').select('session_id'))
    .execute();
  await db
    .deleteFrom('invitations')
    .where((eb) =>
      eb.or([eb('expires_at', '<', before), eb('accepted_at', '<', before), eb('revoked_at', '<', before)]),
    )
    .execute();
  await db.deleteFrom('password_resets').where('expires_at', '<', before).execute();
}
