import { ApiError } from '../../../http/errors.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { BreakGlassTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { requirePermission } from '../../access/permissions.ts';
import type { ExtraEntry } from '../../write-gate/change.ts';
import { diff } from '../../write-gate/diff.ts';
import type { GuardedChange, Waiver } from '../../write-gate/guard.ts';
import type { BreakGlass } from '../freeze-windows/freeze-guard.ts';
import {
  type BreakGlassScope,
  closingOf,
  fieldsOf,
  oneShotSession,
  resourceOf,
  scopeOf,
} from './break-glass-state.ts';
import { findBreakGlass, insertBreakGlass, updateBreakGlass } from './break-glass-store.ts';
import { requireJustification } from './justification.ts';

/** A change under break-glass, with the environments that it affects and the windows that block it. */
interface FrozenChange extends Pick<Parameters<BreakGlass>[2], 'environments' | 'windowIds'> {
  readonly change: GuardedChange;
}

const NOT_YOURS = 'Another admin or another login opened the break-glass session. Open your own.';

export interface BreakGlassDeps {
  readonly newId: NewId;
  /** Throws REAUTHENTICATION_REQUIRED unless the actor has entered the password recently. */
  readonly requireRecentLogin: (db: Queryable, actor: Actor, at: string) => Promise<void>;
}

/** Permits changes during a freeze. Roles, validation and the audit log apply as always. */
export function createBreakGlass({ newId, requireRecentLogin }: BreakGlassDeps): BreakGlass {
  // All changes of a call share the session that is opened for the call.
  const oneShotIds = new WeakMap<object, string>();

  async function admitBySession(tx: Tx, frozen: FrozenChange, id: string): Promise<Waiver> {
    const { change, environments } = frozen;
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
        return [useEntry(row, frozen, uses_count)];
      },
    };
  }

  async function admitOnce(tx: Tx, frozen: FrozenChange, text: string): Promise<Waiver> {
    const { actor, at, call } = frozen.change;
    const justification = requireJustification(text);
    await requireRecentLogin(tx, actor, at);
    const id = oneShotIds.get(call) ?? newId('bgl');
    oneShotIds.set(call, id);
    return {
      breakGlassId: id,
      async write(within) {
        const existing = await findBreakGlass(within, actor.organizationId, id);
        const scope = scopeOfUse(frozen);
        if (existing !== undefined) {
          const uses_count = existing.uses_count + 1;
          const scope_json = JSON.stringify(joinScopes(scopeOf(existing), scope));
          const revision = existing.revision + 1;
          await updateBreakGlass(within, { ...existing, scope_json, uses_count, revision });
          return [useEntry(existing, frozen, uses_count)];
        }
        const row = oneShotSession({ id, actor, justification, scope, at });
        await insertBreakGlass(within, row);
        const opened = { ...fieldsOf(row), closed_at: null, close_reason: null, uses_count: 0 };
        const closing = { closed_at: { from: null, to: at }, close_reason: { from: null, to: 'one_shot' } };
        return [
          { action: 'break_glass.opened', resource: resourceOf(row), changes: diff(null, opened) },
          useEntry(row, frozen, 1),
          { action: 'break_glass.closed', resource: resourceOf(row), changes: closing },
        ];
      },
    };
  }

  return async (tx, change, { claim, environments, windowIds }) => {
    requirePermission(change.actor, 'break_glass.use');
    const frozen = { change, environments, windowIds };
    return 'id' in claim ? admitBySession(tx, frozen, claim.id) : admitOnce(tx, frozen, claim.justification);
  };
}

/** Throws BREAK_GLASS_OUT_OF_SCOPE unless the scope covers the changed flag and all affected environments. */
function requireInScope(
  scope: BreakGlassScope,
  { plan }: GuardedChange,
  environments: FrozenChange['environments'],
): void {
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

/** The audit entry about a use of the session. */
function useEntry(row: BreakGlassTable, { change, windowIds }: FrozenChange, uses: number): ExtraEntry {
  const { action, plan } = change;
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

function scopeOfUse({ change: { plan }, environments }: FrozenChange): BreakGlassScope {
  return {
    environment_ids: environments.map(({ id }) => id),
    project_ids: [],
    flag_ids: plan.resource.type === 'flag' ? [plan.resource.id] : null,
  };
}

function joinScopes(one: BreakGlassScope, other: BreakGlassScope): BreakGlassScope {
  return {
    environment_ids: [...new Set([...one.environment_ids, ...other.environment_ids])],
    project_ids: one.project_ids,
    flag_ids: one.flag_ids && other.flag_ids && [...new Set([...one.flag_ids, ...other.flag_ids])],
  };
}
