import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { longReads } from '../../../storage/long-reads.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { hasPermission } from '../../access/permissions.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import type { Changes } from '../../write-gate/diff.ts';
import { type AuditActor, auditActor } from './audit-actor.ts';
import { type AuditFilter, type AuditRange, findAuditEntry, listAuditEntries } from './audit-log-store.ts';

/** An audit entry as the API shows it. */
export interface AuditEntry {
  readonly id: string;
  readonly action: string;
  readonly actor: AuditActor & { readonly token_id: string | null };
  readonly resource: { readonly type: string; readonly id: string; readonly key: string | null };
  readonly project_id: string | null;
  readonly environment_id: string | null;
  readonly changes: Changes;
  readonly comment: string | null;
  readonly via: string;
  readonly request_id: string | null;
  /** Null, like `user_agent`, if the reader lacks the permission `audit.read_all`. */
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly break_glass_id: string | null;
  readonly change_request_id: string | null;
  readonly revision: number | null;
  readonly timestamp: string;
}

export interface AuditService {
  /** Entries, newest first; without the permission `audit.read_all` only those that belong to a project. */
  list(
    actor: Actor,
    filter: Omit<AuditFilter, 'withoutProject'>,
    range: AuditRange,
  ): Promise<{ items: readonly AuditEntry[]; total: number; nextCursor: string | null }>;
  get(actor: Actor, id: string): Promise<AuditEntry>;
  /** Records that an actor was refused an operation, at most once a minute for each actor and operation. */
  recordRefusal(
    actor: Actor,
    refused: { readonly operationId: string; readonly details: Readonly<Record<string, unknown>> },
  ): Promise<void>;
}

const REFUSAL_INTERVAL_MS = 60_000;
/** Maximum number of remembered refusals; beyond it, some are recorded again within the minute. */
const REFUSALS_MAX = 10_000;

export function createAuditService(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): AuditService {
  const { db, gate, now } = deps;
  const recordedAt = new Map<string, number>();
  const seesAll = (actor: Actor): boolean => hasPermission(actor, 'audit.read_all');

  return {
    async list(actor, filter, range) {
      const withoutProject = seesAll(actor);
      const { rows, total } = await listAuditEntries(
        longReads(db),
        { ...filter, organizationId: actor.organizationId, withoutProject },
        { ...range, limit: range.limit + 1 },
      );
      const shown = rows.slice(0, range.limit);
      const nextCursor = rows.length > range.limit ? (shown.at(-1)?.id ?? null) : null;
      return { items: shown.map((row) => toAuditEntry(row, withoutProject)), total, nextCursor };
    },

    async get(actor, id) {
      const row = await findAuditEntry(db, actor.organizationId, id);
      const everything = seesAll(actor);
      if (row === undefined || (!everything && row.project_id === null)) {
        throw new ApiError('AUDIT_ENTRY_NOT_FOUND');
      }
      return toAuditEntry(row, everything);
    },

    async recordRefusal(actor, { operationId, details }) {
      const key = `${actor.id} ${operationId}`;
      const time = now();
      // The absolute difference, so that setting the clock back does not suppress entries.
      if (Math.abs(time - (recordedAt.get(key) ?? Number.NEGATIVE_INFINITY)) < REFUSAL_INTERVAL_MS) return;
      if (recordedAt.size >= REFUSALS_MAX) recordedAt.clear();
      recordedAt.set(key, time);
      await gate.applyChange(actor, {
        action: 'auth.refused',
        permission: 'anyone',
        plan: async () => ({
          resource: { type: 'operation', id: operationId },
          before: null,
          after: { permission: details['permission'] ?? null, role: actor.role },
          write: async () => undefined,
        }),
      });
    },
  };
}

/** An audit entry as the API shows it; `everything` with the permission `audit.read_all`. */
export function toAuditEntry(row: AuditEntryTable, everything: boolean): AuditEntry {
  return {
    id: row.id,
    action: row.action,
    actor: { ...auditActor(row), token_id: row.actor_token_id },
    resource: { type: row.resource_type, id: row.resource_id, key: row.resource_key },
    project_id: row.project_id,
    environment_id: row.environment_id,
    changes: JSON.parse(row.changes_json) as Changes,
    comment: row.comment,
    via: row.via,
    request_id: row.request_id,
    ip: everything ? row.ip : null,
    user_agent: everything ? row.user_agent : null,
    break_glass_id: row.break_glass_id,
    change_request_id: row.change_request_id,
    revision: row.revision,
    timestamp: row.created_at,
  };
}
