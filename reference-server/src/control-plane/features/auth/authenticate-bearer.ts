import { ApiError } from '../../../http/errors.ts';
import { hasChecksum } from '../../../publishing/key-format.ts';
import type { Database } from '../../../storage/database.ts';
import type { Actor, Origin } from '../../access/actor.ts';
import type { RecordLastUse } from '../../access/last-uses.ts';
import { userActor } from '../users/current-rights.ts';
import type { AccessTokens } from './sessions/access-tokens.ts';
import { findLiveSession, touchSession } from './sessions/session-store.ts';
import { type AuthenticateMachineToken, createKnownTokens } from './tokens/machine-tokens.ts';

/**
 * Finds the actor of a bearer token, with current rights. Throws INVALID_TOKEN and TOKEN_EXPIRED. When the token may be
 * a guess, `beforeQuery` runs before the database is queried, and can refuse the token by throwing an error.
 */
export type AuthenticateBearer = (token: string, origin: Origin, beforeQuery?: () => void) => Promise<Actor>;

/** `last_used_at` of a session is at most this far behind. */
const TOUCH_INTERVAL_MS = 60_000;

export function createAuthenticateBearer(deps: {
  readonly db: Database;
  readonly now: () => number;
  readonly accessTokens: AccessTokens;
  readonly recordLastUse: RecordLastUse;
  /** Functions that authenticate machine tokens, by the first four characters of the token. */
  readonly machineTokens: ReadonlyMap<string, AuthenticateMachineToken>;
}): AuthenticateBearer {
  const { db, now, accessTokens, machineTokens, recordLastUse } = deps;
  const knownTokens = createKnownTokens();

  const authenticateSession = async (token: string, origin: Origin): Promise<Actor> => {
    const claims = await accessTokens.verify(token);
    const at = new Date(now()).toISOString();
    const session = await findLiveSession(db, claims.sessionId, at);
    if (session?.userId !== claims.userId || session.organizationId !== claims.organizationId) {
      throw new ApiError('INVALID_TOKEN');
    }
    const { id: sessionId, userId, email, organizationId, lastUsedAt, mustEnroll, rights } = session;
    if (now() - Date.parse(lastUsedAt ?? at) >= TOUCH_INTERVAL_MS)
      recordLastUse(sessionId, () => touchSession(db, sessionId, at));
    const user = { id: userId, email, organizationId };
    return userActor({ user, rights, origin, by: { sessionId, mustEnroll } });
  };

  return async (token, origin, beforeQuery) => {
    const authenticateMachine = machineTokens.get(token.slice(0, 4));
    if (authenticateMachine === undefined) return authenticateSession(token, origin);
    if (!hasChecksum(token)) throw new ApiError('INVALID_TOKEN');
    if (!knownTokens.has(token)) beforeQuery?.();
    const actor = await authenticateMachine(token, origin);
    knownTokens.add(token);
    return actor;
  };
}
