import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../../http/errors.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { Actor } from '../../access/authorize.ts';
import type { WriteGateDeps } from '../../write-gate/gate.ts';
import { type Standing, toStanding } from '../users/standing.ts';
import { findLivePersonalTokenById } from './personal-token-store.ts';
import { findLiveSession } from './session-store.ts';

type FindStanding = (db: Queryable, tokenId: string, at: string) => Promise<Standing | undefined>;

/**
 * Refuses whoever may not do any more what they might when they were let in: that is before a request's body is read,
 * which may take its time, and before the writes of others that were there first (decision 0164).
 */
export function createRequireStanding(
  findServiceStanding: FindStanding,
): NonNullable<WriteGateDeps['requireCurrentRights']> {
  const find = async (tx: Tx, { sessionId, tokenId, kind }: Actor, at: string): ReturnType<FindStanding> => {
    if (sessionId !== null) return (await findLiveSession(tx, sessionId, at))?.standing;
    if (kind !== 'user') return findServiceStanding(tx, tokenId!, at);
    const token = await findLivePersonalTokenById(tx, tokenId!, at);
    return token && toStanding(token);
  };

  return async (tx, actor, at) => {
    // The system, and what people have left to be done.
    if (actor.sessionId === null && actor.tokenId === undefined) return;
    const standing = await find(tx, actor, at);
    if (standing === undefined) throw new ApiError('INVALID_TOKEN');
    const { role, projectRoles, environmentIds } = actor;
    if (isDeepStrictEqual(standing, { role, projectRoles, environmentIds })) return;
    throw new ApiError('INSUFFICIENT_PERMISSIONS', {
      message: 'What you may do has changed while this request was on its way. Ask again.',
      details: { role: standing.role },
    });
  };
}
