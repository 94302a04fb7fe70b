import { HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts';
import type { BreakGlassTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import type { BreakGlassRow } from './break-glass-store.ts';

/**
 * What a session covers: changes in these environments or projects. If flags are named, it covers only changes of these
 * flags.
 */
export interface BreakGlassScope {
  readonly environment_ids: readonly string[];
  readonly project_ids: readonly string[];
  /** Null: all flags, and changes of other resources. */
  readonly flag_ids: readonly string[] | null;
}

export type BreakGlassStatus = 'open' | 'closed' | 'overdue' | 'reviewed';

/** Time after the end of a session within which it must be reviewed. */
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

export interface NewBreakGlass {
  readonly scope: {
    readonly environment_ids?: readonly string[] | undefined;
    readonly project_ids?: readonly string[] | undefined;
    readonly flag_ids?: readonly string[] | undefined;
  };
  readonly justification?: string | undefined;
  readonly incident_ref?: string | undefined;
  /** 5 to 240; default 60. */
  readonly duration_minutes?: number | undefined;
}

const DEFAULT_MINUTES = 60;
/** The nominal duration of a session that is opened for one call. */
const ONE_SHOT_MS = 5 * MINUTE_MS;

interface SessionParts {
  readonly id: string;
  readonly actor: Actor;
  readonly justification: string;
  readonly scope: BreakGlassScope;
  readonly at: string;
}

/** The row of a session that is open from now on. */
export function newSession({
  input,
  ...parts
}: SessionParts & { readonly input: NewBreakGlass }): BreakGlassTable {
  const { duration_minutes = DEFAULT_MINUTES, incident_ref = null } = input;
  return { ...sessionRow(parts, duration_minutes * MINUTE_MS), incident_ref };
}

/** The row of a session for one call. It is stored as closed, so that no later call can use its id. */
export function oneShotSession(parts: SessionParts): BreakGlassTable {
  const closed = { one_shot: 1, closed_at: parts.at, close_reason: 'one_shot', uses_count: 1 } as const;
  return { ...sessionRow(parts, ONE_SHOT_MS), ...closed };
}

function sessionRow(
  { id, actor, justification, scope, at }: SessionParts,
  durationMs: number,
): BreakGlassTable {
  return {
    organization_id: actor.organizationId,
    id,
    opened_by: actor.id ?? '',
    opened_by_email: actor.email ?? '',
    session_id: actor.sessionId ?? '',
    scope_json: JSON.stringify(scope),
    justification,
    incident_ref: null,
    one_shot: 0,
    opened_at: at,
    expires_at: new Date(Date.parse(at) + durationMs).toISOString(),
    closed_at: null,
    close_reason: null,
    uses_count: 0,
    reviewed_by: null,
    reviewed_by_email: null,
    reviewed_at: null,
    outcome: null,
    review_note: null,
    overdue_noticed_at: null,
    revision: 1,
  };
}

/** When and why a session closed; undefined while it is open. Expiry and logout count even before they are stored. */
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

/** The fields that the audit log compares. */
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
