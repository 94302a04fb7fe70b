import { DAY_MS, HOUR_MS } from '../../../../lib/durations.ts';
import type { Database, Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Actor } from '../../../access/actor.ts';
import type { AuditAction } from '../../../write-gate/audit-actions.ts';
import type { WriteGate } from '../../../write-gate/change.ts';
import type { ReadOrganizationSettings } from '../../organizations/read-organization-settings.ts';
import type * as UserStore from '../../users/user-store.ts';
import { createSecretHash, newSecret } from '../tokens/secret-tokens.ts';
import type { AccessTokens, IssuedToken } from './access-tokens.ts';
import { insertSession } from './session-store.ts';

const REFRESH_TOKEN_MS = 30 * DAY_MS;

/** The answer to a login or a refresh ("Token set"). After a refresh, it contains no refresh token. */
export interface TokenSet {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly expires_in: number;
  readonly refresh_token?: string;
}

/**
 * Opens a session for an authenticated user. `verify` runs in the transaction and repeats checks that may have become
 * outdated; if it throws, no session is opened.
 */
export type OpenSession = (actor: Actor, verify: (tx: Tx) => Promise<unknown>) => Promise<TokenSet>;

export interface OpenSessionDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly users: typeof UserStore;
  readonly accessTokens: AccessTokens;
  readonly now: () => number;
  readonly newId: NewId;
  readonly apiSecretKey: string;
  readonly readOrganizationSettings: ReadOrganizationSettings;
}

export function createOpenSession(deps: OpenSessionDeps): OpenSession {
  const { db, gate, users, accessTokens, now, newId, readOrganizationSettings } = deps;
  const hashToken = createSecretHash(deps.apiSecretKey);
  return async (actor, verify) => {
    const { organizationId, email, origin } = actor;
    const userId = actor.id ?? '';
    const { session_max_hours: maxHours } = await readOrganizationSettings(db, organizationId);
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
          await verify(tx);
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
    const issued = await accessTokens.issue({ userId, sessionId, organizationId }, expiresAt);
    return { ...tokenSet(issued), refresh_token: refreshToken };
  };
}

export function tokenSet({ token, expiresInSeconds }: IssuedToken): TokenSet {
  return { access_token: token, token_type: 'bearer', expires_in: expiresInSeconds };
}

/** The plan of a change that concerns a user and shows no fields in the audit log. */
export function userPlan(userId: string, email: string | null) {
  return { resource: { type: 'user', id: userId, key: email }, before: null, after: null };
}

/** Writes an audit entry for a failed login or refresh, with the user as its actor. */
export async function recordAttempt(gate: WriteGate, actor: Actor, action: AuditAction): Promise<void> {
  await gate.applyChange(actor, {
    action,
    permission: 'anyone',
    plan: async () => ({ ...userPlan(actor.id ?? '', actor.email), write: async () => undefined }),
  });
}
