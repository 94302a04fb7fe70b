import { DAY_MS, HOUR_MS } from '../../../../lib/durations.ts';
import type { Database, Queryable, Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Actor } from '../../../access/actor.ts';
import type { AuditAction } from '../../../write-gate/audit-actions.ts';
import type { WriteGate } from '../../../write-gate/change.ts';
import type * as UserStore from '../../users/user-store.ts';
import { createSecretHash, newSecret } from '../tokens/secret-tokens.ts';
import type { AccessTokens, IssuedToken } from './access-tokens.ts';
import { insertSession } from './session-store.ts';

const REFRESH_TOKEN_MS = 30 * DAY_MS;

/** What a login answers ("Token set"); a refresh leaves the refresh token out. */
export interface TokenSet {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly expires_in: number;
  readonly refresh_token?: string;
}

/**
 * Begins a session of somebody who has shown who they are. `proof` sees in the same transaction whether that still holds;
 * what it throws leaves nothing behind.
 */
export type OpenSession = (actor: Actor, proof: (tx: Tx) => Promise<unknown>) => Promise<TokenSet>;

export interface OpenSessionDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly users: typeof UserStore;
  readonly tokens: AccessTokens;
  readonly now: () => number;
  readonly newId: NewId;
  readonly apiSecretKey: string;
  readonly peopleOf: (
    db: Queryable,
    organizationId: string,
  ) => Promise<{ readonly session_max_hours: number | null }>;
}

export function createOpenSession(deps: OpenSessionDeps): OpenSession {
  const { db, gate, users, tokens, now, newId, peopleOf } = deps;
  const hashToken = createSecretHash(deps.apiSecretKey);
  return async (actor, proof) => {
    const { organizationId, email, origin } = actor;
    const userId = actor.id ?? '';
    const { session_max_hours: maxHours } = await peopleOf(db, organizationId);
    const lifeMs = Math.min(REFRESH_TOKEN_MS, (maxHours ?? Number.POSITIVE_INFINITY) * HOUR_MS);
    const expiresAt = new Date(now() + lifeMs).toISOString();
    const sessionId = newId('ses');
    const refreshToken = newSecret('rt_');
    await gate.applyChange(actor, {
      action: 'auth.login',
      permission: 'anyone',
      plan: async (tx, at) => ({
        ...userPlan(userId, email),
        write: async () => {
          await proof(tx);
          await insertSession(tx, {
            organization_id: organizationId,
            id: sessionId,
            user_id: userId,
            refresh_hash: hashToken(refreshToken),
            created_at: at,
            expires_at: expiresAt,
            revoked_at: null,
            ip: origin.ip,
            user_agent: origin.userAgent,
            authenticated_at: at,
            last_used_at: at,
          });
          await users.setLastLogin(tx, userId, at);
        },
      }),
    });
    const issued = await tokens.issue({ userId, sessionId, organizationId }, expiresAt);
    return { ...tokenSet(issued), refresh_token: refreshToken };
  };
}

export function tokenSet({ token, expiresInSeconds }: IssuedToken): TokenSet {
  return { access_token: token, token_type: 'bearer', expires_in: expiresInSeconds };
}

/** What comes and goes with a session is told of its user and holds no fields. */
export function userPlan(userId: string, email: string | null) {
  return { resource: { type: 'user', id: userId, key: email }, before: null, after: null };
}

/** Writes down what a user, or somebody in their name, has tried in vain; nothing changes. */
export async function noteOfUser(gate: WriteGate, actor: Actor, action: AuditAction): Promise<void> {
  await gate.applyChange(actor, {
    action,
    permission: 'anyone',
    plan: async () => ({ ...userPlan(actor.id ?? '', actor.email), write: async () => undefined }),
  });
}
