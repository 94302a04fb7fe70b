import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { hasPermission } from '../../access/permissions.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import type { Changes } from '../../write-gate/diff.ts';
import { type AuditActor, auditActor } from './audit-actor.ts';
import { type AuditFilter, type AuditRange, findAuditEntry, listAuditEntries } from './audit-log-store.ts';

/** An entry as the audit log shows it. */
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
  /** Only for those who see everything. */
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly break_glass_id: string | null;
  readonly change_request_id: string | null;
  readonly revision: number | null;
  readonly timestamp: string;
}

export interface AuditService {
  /** Whoever may not see everything sees what belongs to projects. */
  list(
    actor: Actor,
    filter: Omit<AuditFilter, 'everything'>,
    range: AuditRange,
  ): Promise<{ items: readonly AuditEntry[]; total: number; nextCursor: string | null }>;
  get(actor: Actor, id: string): Promise<AuditEntry>;
  /** Writes down that somebody tried what is not allowed; the same by the same at most once a minute. */
  noteRefusal(
    actor: Actor,
    refused: { readonly operationId: string; readonly details: Readonly<Record<string, unknown>> },
  ): Promise<void>;
}

const NOTE_INTERVAL_MS = 60_000;
const NOTED_MAX = 10_000;

export function createAuditService(deps: {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
}): AuditService {
  const { db, gate, now } = deps;
  const noted = new Map<string, number>();
  const seesAll = (actor: Actor): boolean => hasPermission(actor, 'audit.read_all');

  return {
    async list(actor, filter, range) {
      const everything = seesAll(actor);
      const { rows, total } = await listAuditEntries(
        db,
        actor.organizationId,
        { ...filter, everything },
        { ...range, limit: range.limit + 1 },
      );
      const shown = rows.slice(0, range.limit);
      const nextCursor = rows.length > range.limit ? (shown.at(-1)?.id ?? null) : null;
      return { items: shown.map((row) => toEntry(row, everything)), total, nextCursor };
    },

    async get(actor, id) {
      const row = await findAuditEntry(db, actor.organizationId, id);
      const everything = seesAll(actor);
      if (row === undefined || (!everything && row.project_id === null)) {
        throw new ApiError('AUDIT_ENTRY_NOT_FOUND');
      }
      return toEntry(row, everything);
    },

    async noteRefusal(actor, { operationId, details }) {
      const key = `${actor.id} ${operationId}`;
      const time = now();
      // A clock that was set back does not hide what is tried until it has come to where it was.
      if (Math.abs(time - (noted.get(key) ?? Number.NEGATIVE_INFINITY)) < NOTE_INTERVAL_MS) return;
      if (noted.size >= NOTED_MAX) noted.clear();
      noted.set(key, time);
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

function toEntry(row: AuditEntryTable, everything: boolean): AuditEntry {
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
