import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { BreakGlassTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { requirePermission } from '../../access/permissions.ts';
import type { ExtraEntry } from '../../write-gate/change.ts';
import { diff } from '../../write-gate/diff.ts';
import type { GuardedChange } from '../../write-gate/guard.ts';
import type { BreakGlass } from '../freeze-windows/freeze-guard.ts';
import { type BreakGlassScope, closingOf, fieldsOf, resourceOf, scopeOf } from './break-glass-state.ts';
import { findBreakGlass, insertBreakGlass, updateBreakGlass } from './break-glass-store.ts';
import { requireJustification } from './justification.ts';

/** How long a session that is opened for one call could be used, if it could be used again. */
const ONE_SHOT_MS = 5 * 60 * 1000;

const NOT_YOURS = 'The break-glass session was opened by somebody else, or in another login: open your own.';

export interface AdmitDeps {
  readonly newId: NewId;
  /** Throws REAUTHENTICATION_REQUIRED unless the actor has just given the password. */
  readonly requireRecentLogin: (db: Queryable, actor: Actor, at: string) => Promise<void>;
}

/**
 * Carries changes through a freeze. It never bypasses roles, validation or the audit log: those
 * are asked before, or written in any case.
 */
export function createBreakGlass(deps: AdmitDeps): BreakGlass {
  // Several changes of one call share the session that was opened for it.
  const oneShots = new WeakMap<object, string>();

  const admitSession: BreakGlass<string> = async (tx, change, { claim: id, environments, windowIds }) => {
    const { actor, at } = change;
    const row = await findBreakGlass(tx, actor.organizationId, id);
    const isOwn = row?.opened_by === actor.id && row.session_id === actor.sessionId;
    const isOpen = row !== undefined && closingOf(row, at) === undefined;
    if (!isOpen || !isOwn) {
      throw new ApiError('BREAK_GLASS_EXPIRED', {
        ...(isOpen && { message: NOT_YOURS }),
        details: { break_glass_id: id },
      });
    }
    requireInScope(scopeOf(row), change, environments);
    return {
      breakGlassId: id,
      async write(within) {
        const before = await findBreakGlass(within, actor.organizationId, id);
        const uses_count = (before?.uses_count ?? 0) + 1;
        await updateBreakGlass(within, { ...row, uses_count, revision: (before?.revision ?? 0) + 1 });
        return [useNote(row, change, windowIds, uses_count)];
      },
    };
  };

  const admitOnce: BreakGlass<string> = async (tx, change, { claim: text, environments, windowIds }) => {
    const { actor, at, call } = change;
    const justification = requireJustification(text);
    await deps.requireRecentLogin(tx, actor, at);
    const id = oneShots.get(call) ?? deps.newId('bgl');
    oneShots.set(call, id);
    return {
      breakGlassId: id,
      async write(within) {
        const existing = await findBreakGlass(within, actor.organizationId, id);
        if (existing !== undefined) {
          const uses_count = existing.uses_count + 1;
          const scope_json = JSON.stringify(widened(scopeOf(existing), scopeOfUse(change, environments)));
          const revision = existing.revision + 1;
          await updateBreakGlass(within, { ...existing, scope_json, uses_count, revision });
          return [useNote(existing, change, windowIds, uses_count)];
        }
        const row = oneShotRow(id, change, justification, environments);
        await insertBreakGlass(within, row);
        const opened = { ...fieldsOf(row), closed_at: null, close_reason: null, uses_count: 0 };
        const closing = { closed_at: { from: null, to: at }, close_reason: { from: null, to: 'one_shot' } };
        return [
          { action: 'break_glass.opened', resource: resourceOf(row), changes: diff(null, opened) },
          useNote(row, change, windowIds, 1),
          { action: 'break_glass.closed', resource: resourceOf(row), changes: closing },
        ];
      },
    };
  };

  return async (tx, change, { claim, ...held }) => {
    requirePermission(change.actor, 'break_glass.use');
    return 'id' in claim
      ? admitSession(tx, change, { ...held, claim: claim.id })
      : admitOnce(tx, change, { ...held, claim: claim.justification });
  };
}

type Environments = Parameters<BreakGlass>[2]['environments'];

/** Every environment that the change reaches must be covered, and what it changes. */
function requireInScope(scope: BreakGlassScope, { plan }: GuardedChange, environments: Environments): void {
  const outside = environments.find(
    ({ id, project_id }) => !scope.environment_ids.includes(id) && !scope.project_ids.includes(project_id),
  );
  const isOtherFlag =
    scope.flag_ids !== null && !(plan.resource.type === 'flag' && scope.flag_ids.includes(plan.resource.id));
  if (outside === undefined && !isOtherFlag) return;
  throw new ApiError('BREAK_GLASS_OUT_OF_SCOPE', {
    details: {
      scope,
      ...(outside !== undefined && { environment_id: outside.id }),
      ...(isOtherFlag && { resource_id: plan.resource.id }),
    },
  });
}

function useNote(
  row: BreakGlassTable,
  { action, plan }: GuardedChange,
  windowIds: readonly string[],
  uses: number,
): ExtraEntry {
  const { type, id, key = null, environmentId = null, projectId = null } = plan.resource;
  return {
    action: 'break_glass.used',
    resource: { ...resourceOf(row), projectId, environmentId },
    changes: {
      uses_count: { from: uses - 1, to: uses },
      used_for: { from: null, to: { action, resource: { type, id, key }, freeze_window_ids: windowIds } },
    },
    comment: row.justification,
  };
}

function scopeOfUse({ plan }: GuardedChange, environments: Environments): BreakGlassScope {
  return {
    environment_ids: environments.map(({ id }) => id),
    project_ids: [],
    flag_ids: plan.resource.type === 'flag' ? [plan.resource.id] : null,
  };
}

/** What both cover: a session that is opened for one call covers what the call does. */
function widened(one: BreakGlassScope, other: BreakGlassScope): BreakGlassScope {
  return {
    environment_ids: [...new Set([...one.environment_ids, ...other.environment_ids])],
    project_ids: one.project_ids,
    flag_ids: one.flag_ids && other.flag_ids && [...new Set([...one.flag_ids, ...other.flag_ids])],
  };
}

/** Opened and closed at once: whoever has its id can do nothing with it. */
function oneShotRow(
  id: string,
  change: GuardedChange,
  justification: string,
  environments: Environments,
): BreakGlassTable {
  const { actor, at } = change;
  return {
    organization_id: actor.organizationId,
    id,
    opened_by: actor.id ?? '',
    opened_by_email: actor.email ?? '',
    session_id: actor.sessionId ?? '',
    scope_json: JSON.stringify(scopeOfUse(change, environments)),
    justification,
    incident_ref: null,
    one_shot: 1,
    opened_at: at,
    expires_at: new Date(Date.parse(at) + ONE_SHOT_MS).toISOString(),
    closed_at: at,
    close_reason: 'one_shot',
    uses_count: 1,
    reviewed_by: null,
    reviewed_by_email: null,
    reviewed_at: null,
    outcome: null,
    review_note: null,
    overdue_noticed_at: null,
    revision: 1,
  };
}
