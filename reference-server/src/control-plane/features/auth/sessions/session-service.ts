import { ApiError } from '../../../../http/errors.ts';
import type { Database } from '../../../../storage/database.ts';
import type { SessionTable } from '../../../../storage/people-tables.ts';
import type { Actor } from '../../../access/actor.ts';
import type { AuditAction } from '../../../write-gate/audit-actions.ts';
import type { ChangeOptions, WriteGate } from '../../../write-gate/change.ts';
import { userPlan } from './open-session.ts';
import { listSessions, revokeSessions } from './session-store.ts';

/** A session as the API returns it. */
export interface SessionRecord {
  readonly id: string;
  /** True for the session of the request. */
  readonly current: boolean;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly authenticated_at: string | null;
  readonly last_used_at: string | null;
  readonly expires_at: string;
}

/** The actor's own sessions. */
export interface SessionService {
  list(actor: Actor): Promise<readonly SessionRecord[]>;
  /** Ends the session of the request: its access tokens and its refresh token stop working. */
  logout(actor: Actor): Promise<void>;
  /** Ends a session. Throws SESSION_NOT_FOUND unless it is the actor's. */
  revoke(actor: Actor, sessionId: string, options: ChangeOptions): Promise<void>;
  /** Ends all other sessions and returns their number. */
  revokeOthers(actor: Actor, options: ChangeOptions): Promise<{ readonly revoked: number }>;
}

export function createSessionService(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): SessionService {
  const { db, gate, now } = deps;

  /** Ends the actor's sessions that `choose` selects, in one change. */
  const end = (
    actor: Actor,
    { action, choose }: { readonly action: AuditAction; readonly choose: (session: SessionTable) => boolean },
    options: ChangeOptions = {},
  ) =>
    gate.applyChange(
      actor,
      {
        action,
        permission: 'session.own',
        async plan(tx, at) {
          const chosen = (await listSessions(tx, actor.id ?? '', at)).filter(choose);
          if (chosen.length === 0 && action === 'auth.session_revoked')
            throw new ApiError('SESSION_NOT_FOUND');
          return {
            ...userPlan(actor.id ?? '', actor.email),
            async write() {
              await revokeSessions(
                tx,
                chosen.map((session) => session.id),
                at,
              );
              return { revoked: chosen.length };
            },
          };
        },
      },
      options,
    );

  return {
    async list(actor) {
      const rows = await listSessions(db, actor.id ?? '', new Date(now()).toISOString());
      return rows.map((row) => toRecord(row, actor));
    },
    async logout(actor) {
      await end(actor, { action: 'auth.logout', choose: ({ id }) => id === actor.sessionId });
    },
    async revoke(actor, sessionId, options) {
      await end(actor, { action: 'auth.session_revoked', choose: ({ id }) => id === sessionId }, options);
    },
    revokeOthers: (actor, options) =>
      end(actor, { action: 'auth.sessions_revoked', choose: ({ id }) => id !== actor.sessionId }, options),
  };
}

function toRecord(row: SessionTable, actor: Actor): SessionRecord {
  return {
    id: row.id,
    current: row.id === actor.sessionId,
    ip: row.ip,
    user_agent: row.user_agent,
    created_at: row.created_at,
    authenticated_at: row.authenticated_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  };
}
