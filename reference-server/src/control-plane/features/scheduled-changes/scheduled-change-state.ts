import { invalid } from '../../../http/errors.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { ScheduledChangeTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { isTimeZone } from '../freeze-windows/local-time.ts';
import type {
  NewScheduledChange,
  ScheduledChangePatch,
  ScheduledChangeRecord,
} from './scheduled-change-schemas.ts';
import type { ScheduledChangeRow } from './scheduled-change-store.ts';

const AHEAD_MIN_MS = 60_000;
const AHEAD_MAX_MS = 2 * 366 * DAY_MS;

/** Whether the change waits for its time or for the end of a freeze window. */
export function isOpen(row: ScheduledChangeTable): boolean {
  return row.status === 'pending' || row.status === 'blocked';
}

/** Whether the change is final: executed or cancelled. */
export function isDone(row: ScheduledChangeTable): boolean {
  return row.status === 'executed' || row.status === 'cancelled';
}

/** The time of execution in UTC. Throws VALIDATION_ERROR unless it is a minute to two years ahead. */
export function readExecuteAt(text: string, at: string): string {
  const executeAt = normalizeTimestamp(text, 'execute_at');
  const ahead = Date.parse(executeAt) - Date.parse(at);
  if (ahead >= AHEAD_MIN_MS && ahead <= AHEAD_MAX_MS) return executeAt;
  throw invalid({
    field: 'execute_at',
    location: 'body',
    code: 'range',
    message: 'must be at least a minute and at most two years ahead',
  });
}

/** The name of a time zone; default UTC. Throws VALIDATION_ERROR for an unknown one. */
export function readTimezone(name = 'UTC'): string {
  if (isTimeZone(name)) return name;
  throw invalid({
    field: 'timezone',
    location: 'body',
    code: 'unknown',
    message: 'is not an IANA time zone such as Europe/Berlin',
  });
}

/** The row after a change; absent fields keep their value. */
export function mergeChange(
  before: ScheduledChangeRow,
  input: ScheduledChangePatch,
  at: string,
): ScheduledChangeRow {
  // A failed change needs a new time, or it would be executed at once.
  const executeAt = input.execute_at ?? (isOpen(before) ? undefined : before.execute_at);
  return {
    ...before,
    execute_at: executeAt === undefined ? before.execute_at : readExecuteAt(executeAt, at),
    timezone: input.timezone === undefined ? before.timezone : readTimezone(input.timezone),
    changes_json: input.changes === undefined ? before.changes_json : JSON.stringify(input.changes),
    base_revision: input.base_revision === undefined ? before.base_revision : input.base_revision,
    on_conflict: input.on_conflict ?? before.on_conflict,
    on_freeze: input.on_freeze ?? before.on_freeze,
    comment: input.comment ?? before.comment,
  };
}

/** The row of a new change. Throws VALIDATION_ERROR. */
export function newRow(
  input: NewScheduledChange,
  own: Pick<ScheduledChangeRow, 'project_id' | 'flag_id' | 'flag_key' | 'id'> & {
    readonly actor: Actor;
    readonly comment: string | undefined;
    readonly at: string;
  },
): ScheduledChangeRow {
  const { actor, comment, at, ...ids } = own;
  return {
    ...ids,
    organization_id: actor.organizationId,
    environment_id: input.environment_id,
    status: 'pending',
    execute_at: readExecuteAt(input.execute_at, at),
    timezone: readTimezone(input.timezone),
    changes_json: JSON.stringify(input.changes),
    base_revision: input.base_revision ?? null,
    on_conflict: input.on_conflict ?? 'fail',
    on_freeze: input.on_freeze ?? 'defer',
    comment: comment ?? null,
    created_by: actor.id ?? '',
    created_by_email: actor.email ?? '',
    error_json: null,
    retry_at: null,
    executed_at: null,
    revision: 1,
    created_at: at,
    updated_at: at,
  };
}

/** The resource in the audit log, whose key is that of the flag. */
export function resourceOf(row: ScheduledChangeRow) {
  return {
    type: 'scheduled_change',
    id: row.id,
    key: row.flag_key,
    projectId: row.project_id,
    environmentId: row.environment_id,
  };
}

/** The fields that the audit log compares. */
export function fieldsOf(row: ScheduledChangeTable) {
  const { flag_id, status, execute_at, timezone, base_revision, on_conflict, on_freeze } = row;
  return {
    flag_id,
    status,
    execute_at,
    timezone,
    changes: JSON.parse(row.changes_json) as unknown,
    base_revision,
    on_conflict,
    on_freeze,
    comment: row.comment,
    created_by: row.created_by,
    error: row.error_json && (JSON.parse(row.error_json) as unknown),
  };
}

export function toRecord(row: ScheduledChangeRow): ScheduledChangeRecord {
  return {
    id: row.id,
    flag_id: row.flag_id,
    flag_key: row.flag_key,
    environment_id: row.environment_id,
    project_id: row.project_id,
    status: row.status as ScheduledChangeRecord['status'],
    execute_at: row.execute_at,
    timezone: row.timezone,
    changes: JSON.parse(row.changes_json) as ScheduledChangeRecord['changes'],
    base_revision: row.base_revision,
    on_conflict: row.on_conflict as ScheduledChangeRecord['on_conflict'],
    on_freeze: row.on_freeze as ScheduledChangeRecord['on_freeze'],
    comment: row.comment,
    created_by: { id: row.created_by, email: row.created_by_email || null },
    error: row.error_json === null ? null : (JSON.parse(row.error_json) as ScheduledChangeRecord['error']),
    executed_at: row.executed_at,
    revision: row.revision,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
