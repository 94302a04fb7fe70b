import { ApiError } from '../../../../http/errors.ts';
import type { Queryable } from '../../../../storage/database.ts';
import type { Actor } from '../../../access/actor.ts';
import { findAuthenticatedAt } from './session-store.ts';

/** A login counts as recent for this long. */
export const RECENT_LOGIN_MS = 5 * 60 * 1000;

/** Throws REAUTHENTICATION_REQUIRED (403) unless the password was given in this session in the last 5 minutes. */
export async function requireRecentLogin(db: Queryable, actor: Actor, at: string): Promise<void> {
  const since = actor.sessionId === null ? undefined : await findAuthenticatedAt(db, actor.sessionId);
  // `abs`: a clock that was set back does not make an old login recent.
  if (since !== undefined && Math.abs(Date.parse(at) - Date.parse(since)) <= RECENT_LOGIN_MS) return;
  throw new ApiError('REAUTHENTICATION_REQUIRED', {
    details: { reauthenticate: 'POST /api/v1/auth/reauthenticate' },
  });
}
