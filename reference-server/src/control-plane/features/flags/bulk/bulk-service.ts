import { ApiError, limitExceeded } from '../../../../http/errors.ts';
import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { Actor } from '../../../access/actor.ts';
import type { AuditAction } from '../../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, Plan } from '../../../write-gate/change.ts';
import { mapPlan } from '../../../write-gate/map-plan.ts';
import { planPromote } from '../../promotions/promote-plan.ts';
import { listFlagIds } from '../flag-list-store.ts';
import type { FlagDeps } from '../flag-service.ts';
import type { FlagState } from '../flag-state.ts';
import { findFlag } from '../flag-store.ts';
import { planArchive } from '../plans/archive-plan.ts';
import { planState, planUpdate } from '../plans/update-plan.ts';
import { requireFlag, requireUnarchived } from '../require-flag.ts';
import type { BulkBody, BulkResult } from './bulk-schemas.ts';

/** Flags that one call may change. */
const BULK_MAX = 100;

export interface BulkService {
  /**
   * Does one thing to many flags. With `atomic` all or none, and the first refusal is thrown; else each on its own.
   * Throws BULK_COUNT_MISMATCH when the filter finds another number than expected.
   */
  run(actor: Actor, input: BulkBody, options: ChangeOptions): Promise<readonly BulkResult[]>;
}

/** What the lifecycle knows. */
export interface BulkDeps extends FlagDeps {
  readonly planRestore: (tx: Tx, flag: FlagState, at: string) => Promise<Plan<unknown>>;
  readonly planMarkStale: (flag: FlagState, at: string) => Plan<unknown>;
  /** Keys of the flags that are switched off in the environment. */
  readonly switchedOff: (db: Queryable, environmentId: string) => Promise<ReadonlySet<string>>;
}

/** Whether a plan changed anything. */
type Done = { readonly changed: boolean };

export function createBulkService(deps: BulkDeps): BulkService {
  const { gate, ports } = deps;
  return {
    async run(actor, input, options) {
      const outcomes = await gate.applyChanges<Done>(
        actor,
        {
          permission: 'flag.write',
          atomic: input.atomic === true ? 'all' : 'each',
          async *changes(tx) {
            const { project_id } = await ports.requireEnvironment(
              tx,
              actor.organizationId,
              input.environment_id,
            );
            const ids = await findIds(tx, actor, input, project_id);
            for (const id of ids) yield changeOf(deps, actor, input, id);
          },
        },
        options,
      );
      return outcomes.map((outcome) => ({
        flag_id: outcome.resourceId ?? '',
        ...(outcome.ok
          ? { status: outcome.result.changed ? ('ok' as const) : ('skipped' as const), code: null }
          : { status: 'error' as const, code: outcome.error.code }),
      }));
    },
  };
}

async function findIds(
  tx: Tx,
  { organizationId }: Actor,
  { flag_ids, filter, expected_count, environment_id }: BulkBody,
  projectId: string,
): Promise<readonly string[]> {
  if (flag_ids !== undefined) return [...new Set(flag_ids)];
  const { flag_type: flagType, owner_id: ownerId, ...rest } = filter ?? {};
  const ids = await listFlagIds(tx, organizationId, {
    ...rest,
    flagType,
    ownerId,
    projectId,
    environmentId: environment_id,
  });
  if (ids.length !== expected_count) {
    throw new ApiError('BULK_COUNT_MISMATCH', { details: { found: ids.length, expected_count } });
  }
  if (ids.length > BULK_MAX) {
    throw limitExceeded({ limit: 'flags', maximum: BULK_MAX });
  }
  return ids;
}

const ACTIONS: Readonly<Record<BulkBody['action'], AuditAction>> = {
  toggle: 'flag.toggled',
  archive: 'flag.archived',
  restore: 'flag.restored',
  add_tags: 'flag.updated',
  remove_tags: 'flag.updated',
  set_owner: 'flag.updated',
  mark_stale: 'flag.marked_stale',
  promote: 'flag.promoted',
};

function changeOf(deps: BulkDeps, actor: Actor, input: BulkBody, flagId: string): Change<Done> {
  return {
    action: ACTIONS[input.action],
    permission: 'flag.write',
    resourceId: flagId,
    async plan(tx, at) {
      const environmentId = input.environment_id;
      const flag = await requireFlag(tx, deps.ports, actor.organizationId, { flagId, environmentId });
      const plan = await planOf(tx, { deps, actor, input, flag, at });
      const { before, after } = plan;
      return mapPlan(plan, () => ({ changed: JSON.stringify(before) !== JSON.stringify(after) }));
    },
  };
}

interface BulkStep {
  readonly deps: BulkDeps;
  readonly actor: Actor;
  readonly input: BulkBody;
  readonly flag: FlagState;
  readonly at: string;
}

async function planOf(tx: Tx, { deps, actor, input, flag, at }: BulkStep): Promise<Plan<unknown>> {
  const { params = {} } = input;
  const update = (patch: Parameters<typeof planUpdate>[1]['input']) =>
    planUpdate(tx, { ...deps, before: requireUnarchived(flag), input: patch, at });
  switch (input.action) {
    case 'toggle':
      return planState(tx, { ...deps, before: flag, at }, { ...flag, enabled: params.enabled! });
    case 'archive':
      return planArchive(tx, deps.ports, flag, at);
    case 'restore':
      return deps.planRestore(tx, flag, at);
    case 'mark_stale':
      return deps.planMarkStale(flag, at);
    case 'add_tags':
      return update({ tags: [...new Set([...flag.tags, ...params.tags!])] });
    case 'remove_tags':
      return update({ tags: flag.tags.filter((tag) => !params.tags!.includes(tag)) });
    case 'set_owner':
      return update({ owner_id: params.owner_id! });
    default: {
      const targetId = params.target_environment_id!;
      await deps.ports.requireEnvironment(tx, actor.organizationId, targetId);
      const target = await findFlag(tx, actor.organizationId, flag.id, targetId);
      if (target === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
      const switchedOff = await deps.switchedOff(tx, targetId);
      requireUnarchived(target);
      return planPromote(tx, { ...deps, source: flag, target, promotion: params, switchedOff, at });
    }
  }
}
