import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../../http/errors.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import type { WriteGateDeps } from '../../write-gate/gate.ts';
import { type CurrentRights, toCurrentRights } from '../users/current-rights.ts';
import { findLiveSession } from './sessions/session-store.ts';
import { findLivePersonalTokenById } from './tokens/personal-token-store.ts';

type FindRights = (db: Queryable, tokenId: string, at: string) => Promise<CurrentRights | undefined>;

/**
 * Throws unless the actor still has the rights from the start of the request. The rights were read before the body
 * arrived. A slow body takes a while, so the rights may have changed since (decisions/0021).
 */
export function createRequireCurrentRights(
  findServiceRights: FindRights,
): NonNullable<WriteGateDeps['requireCurrentRights']> {
  const find = async (tx: Tx, { sessionId, tokenId, kind }: Actor, at: string): ReturnType<FindRights> => {
    if (sessionId !== null) return (await findLiveSession(tx, sessionId, at))?.rights;
    if (kind !== 'user') return findServiceRights(tx, tokenId!, at);
    const token = await findLivePersonalTokenById(tx, tokenId!, at);
    return token && toCurrentRights(token);
  };

  return async (tx, actor, at) => {
    // The system and scheduled changes have neither session nor token.
    if (actor.sessionId === null && actor.tokenId === undefined) return;
    const rights = await find(tx, actor, at);
    if (rights === undefined) throw new ApiError('INVALID_TOKEN');
    const { role, projectRoles, environmentIds } = actor;
    if (isDeepStrictEqual(rights, { role, projectRoles, environmentIds })) return;
    throw new ApiError('INSUFFICIENT_PERMISSIONS', {
      message: 'Your rights changed while this request was being sent. Send it again.',
      details: { role: rights.role },
    });
  };
}
