import { DAY_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';

/** How long records are kept after their end, so that an operator can look into them. */
const RETENTION_MS = 30 * DAY_MS;

/** Deletes sessions, invitations and password resets that ended more than 30 days ago; the audit log keeps its entries. */
export async function purgeExpiredRecords(db: Database, now: number): Promise<void> {
  const before = new Date(now - RETENTION_MS).toISOString();
  await db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expires_at', '<', before), eb('revoked_at', '<', before)]))
    // Records of break-glass sessions refer to the login session.
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
