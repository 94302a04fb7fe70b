import { HOUR_MS } from '../../../lib/durations.ts';
import type { BreakGlassTable } from '../../../storage/tables.ts';
import type { BreakGlassRow } from './break-glass-store.ts';

/** What a session covers: changes in these environments or projects and, where flags are named, of these alone. */
export interface BreakGlassScope {
  readonly environment_ids: readonly string[];
  readonly project_ids: readonly string[];
  /** Null: whatever is there. */
  readonly flag_ids: readonly string[] | null;
}

export type BreakGlassStatus = 'open' | 'closed' | 'overdue' | 'reviewed';

/** After so long without a review a session is overdue. */
const REVIEW_MS = 72 * HOUR_MS;

/** A break-glass session as the API shows it. */
export interface BreakGlassRecord {
  readonly id: string;
  readonly status: BreakGlassStatus;
  readonly scope: BreakGlassScope;
  readonly justification: string;
  readonly incident_ref: string | null;
  readonly one_shot: boolean;
  readonly opened_by: { readonly id: string; readonly email: string };
  readonly opened_at: string;
  readonly expires_at: string;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly uses_count: number;
  readonly review: {
    readonly by: { readonly id: string; readonly email: string };
    readonly at: string;
    readonly outcome: 'justified' | 'not_justified';
    readonly note: string;
  } | null;
  readonly revision: number;
}

/** When and why it closed; undefined while it is open. An expiry and a logout need nobody to write them down. */
export function closingOf(
  row: BreakGlassRow,
  at: string,
): { readonly at: string; readonly reason: string } | undefined {
  if (row.closed_at !== null) return { at: row.closed_at, reason: row.close_reason ?? 'closed' };
  const expired = row.expires_at <= at ? row.expires_at : undefined;
  const ended = row.session_revoked_at ?? undefined;
  if (ended !== undefined && (expired === undefined || ended < expired)) {
    return { at: ended, reason: 'session_ended' };
  }
  return expired === undefined ? undefined : { at: expired, reason: 'expired' };
}

export function statusOf(row: BreakGlassRow, at: string): BreakGlassStatus {
  if (row.reviewed_at !== null) return 'reviewed';
  const closing = closingOf(row, at);
  if (closing === undefined) return 'open';
  return Date.parse(at) - Date.parse(closing.at) > REVIEW_MS ? 'overdue' : 'closed';
}

export function scopeOf(row: BreakGlassTable): BreakGlassScope {
  return JSON.parse(row.scope_json) as BreakGlassScope;
}

export function resourceOf(row: BreakGlassTable) {
  return { type: 'break_glass', id: row.id };
}

/** What the audit log compares. */
export function fieldsOf(row: BreakGlassTable) {
  const { justification, incident_ref, expires_at, closed_at, close_reason, uses_count } = row;
  const { outcome, review_note } = row;
  return {
    scope: scopeOf(row),
    justification,
    incident_ref,
    one_shot: row.one_shot === 1,
    expires_at,
    closed_at,
    close_reason,
    uses_count,
    outcome,
    review_note,
  };
}

export function toRecord(row: BreakGlassRow, at: string): BreakGlassRecord {
  const closing = closingOf(row, at);
  const { reviewed_by, reviewed_by_email, reviewed_at, outcome, review_note } = row;
  return {
    id: row.id,
    status: statusOf(row, at),
    scope: scopeOf(row),
    justification: row.justification,
    incident_ref: row.incident_ref,
    one_shot: row.one_shot === 1,
    opened_by: { id: row.opened_by, email: row.opened_by_email },
    opened_at: row.opened_at,
    expires_at: row.expires_at,
    closed_at: closing?.at ?? null,
    close_reason: closing?.reason ?? null,
    uses_count: row.uses_count,
    review:
      reviewed_at === null
        ? null
        : {
            by: { id: reviewed_by ?? '', email: reviewed_by_email ?? '' },
            at: reviewed_at,
            outcome: outcome as 'justified' | 'not_justified',
            note: review_note ?? '',
          },
    revision: row.revision,
  };
}
