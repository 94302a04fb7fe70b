import { invalid } from '../../../http/errors.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import { requireKnownActions } from '../../write-gate/action-patterns.ts';
import { RULESET_ACTIONS } from '../../write-gate/audit-actions.ts';
import type { FreezeWindowInput, FreezeWindowRecord } from './freeze-schemas.ts';
import type { FreezeScope } from './freeze-scope.ts';
import { finalEnd, freezeTimes } from './freeze-times.ts';
import type { RecurrenceInput } from './recurrence.ts';

/** A new window without limits: everything is blocked everywhere, from now on. */
export function emptyWindow({
  organizationId,
  id,
  createdBy,
  at,
}: {
  readonly organizationId: string;
  readonly id: string;
  readonly createdBy: string | null;
  readonly at: string;
}): FreezeWindowTable {
  return {
    organization_id: organizationId,
    id,
    name: '',
    reason: '',
    scope_json: '{"project_ids":[],"environment_ids":[],"environment_types":[],"tags":[]}',
    starts_at: at,
    ends_at: null,
    recurrence_json: null,
    last_start_at: null,
    final_end_at: null,
    blocked_actions_json: '["*"]',
    allow_json: '[]',
    notify_before_minutes: 0,
    noticed_at: null,
    created_by: createdBy,
    revision: 1,
    created_at: at,
    updated_at: at,
    ended_at: null,
    ended_by: null,
    cancelled_at: null,
  };
}

/** The row after a change; absent fields keep their value. Throws VALIDATION_ERROR and RECURRENCE_INVALID. */
export function mergeWindow(before: FreezeWindowTable, input: FreezeWindowInput): FreezeWindowTable {
  const starts_at =
    input.starts_at === undefined ? before.starts_at : normalizeTimestamp(input.starts_at, 'starts_at');
  const ends_at =
    input.ends_at === undefined
      ? before.ends_at
      : input.ends_at && normalizeTimestamp(input.ends_at, 'ends_at');
  if (ends_at !== null && ends_at <= starts_at) {
    throw invalid({ field: 'ends_at', location: 'body', code: 'order', message: 'must be after starts_at' });
  }
  requireKnownActions('blocked_actions', input.blocked_actions ?? [], RULESET_ACTIONS);
  const recurrence =
    input.recurrence === undefined ? recurrenceOf(before) : input.recurrence && readInput(input.recurrence);
  const { lastStartAt, finalEndAt } = finalEnd(starts_at, ends_at, recurrence);
  return {
    ...before,
    name: input.name ?? before.name,
    reason: input.reason ?? before.reason,
    scope_json: JSON.stringify({ ...scopeOf(before), ...input.scope }),
    starts_at,
    ends_at,
    recurrence_json: recurrence && JSON.stringify(recurrence),
    last_start_at: lastStartAt,
    final_end_at: finalEndAt,
    blocked_actions_json: JSON.stringify(input.blocked_actions ?? JSON.parse(before.blocked_actions_json)),
    allow_json: JSON.stringify(input.allow ?? JSON.parse(before.allow_json)),
    notify_before_minutes: input.notify_before_minutes ?? before.notify_before_minutes,
  };
}

function readInput(input: NonNullable<FreezeWindowInput['recurrence']>): RecurrenceInput {
  const { rule, timezone, duration_minutes, until = null } = input;
  return {
    rule,
    timezone,
    duration_minutes,
    until: until && normalizeTimestamp(until, 'recurrence.until'),
  };
}

function recurrenceOf(row: FreezeWindowTable): RecurrenceInput | null {
  return row.recurrence_json === null ? null : (JSON.parse(row.recurrence_json) as RecurrenceInput);
}

export function scopeOf(row: FreezeWindowTable): FreezeScope {
  return JSON.parse(row.scope_json) as FreezeScope;
}

export type FreezeStatusName = FreezeWindowRecord['status'];

export function statusOf(row: FreezeWindowTable, at: string): FreezeStatusName {
  if (row.cancelled_at !== null) return 'cancelled';
  if (row.ended_at !== null || (row.final_end_at !== null && row.final_end_at <= at)) return 'ended';
  return freezeTimes(row).at(Date.parse(at)) === undefined ? 'scheduled' : 'active';
}

export function resourceOf(row: FreezeWindowTable) {
  return { type: 'freeze_window', id: row.id, key: row.name };
}

/** The fields that the audit log compares. */
export function fieldsOf(row: FreezeWindowTable) {
  const { name, reason, starts_at, ends_at, notify_before_minutes, ended_at, ended_by, cancelled_at } = row;
  return {
    name,
    reason,
    scope: scopeOf(row),
    starts_at,
    ends_at,
    recurrence: recurrenceOf(row),
    blocked_actions: JSON.parse(row.blocked_actions_json) as string[],
    allow: JSON.parse(row.allow_json) as string[],
    notify_before_minutes,
    ended_at,
    ended_by,
    cancelled_at,
  };
}

export function toRecord(row: FreezeWindowTable, at: string): FreezeWindowRecord {
  const { ended_at: _, cancelled_at: __, recurrence, scope, allow, ...fields } = fieldsOf(row);
  const current = freezeTimes(row).at(Date.parse(at));
  const toText = (time: number | null): string | null =>
    time === null ? null : new Date(time).toISOString();
  return {
    id: row.id,
    organization_id: row.organization_id,
    ...fields,
    scope: scope as FreezeWindowRecord['scope'],
    allow: allow as FreezeWindowRecord['allow'],
    recurrence: recurrence && { ...recurrence, until: recurrence.until ?? null },
    status: statusOf(row, at),
    current_occurrence: current
      ? { starts_at: new Date(current.startsAt).toISOString(), ends_at: toText(current.endsAt) }
      : null,
    created_by: row.created_by,
    revision: row.revision,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
