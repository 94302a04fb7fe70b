import { ApiError, limitExceeded } from '../../../../http/errors.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Actor } from '../../../access/actor.ts';
import type { AuditAction } from '../../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, Plan, WriteGate } from '../../../write-gate/change.ts';
import { mapPlan } from '../../../write-gate/map-plan.ts';
import type { PlanPromote } from '../../promotions/promote-plan.ts';
import { listFlagIds } from '../flag-list-store.ts';
import type { FlagState } from '../flag-state.ts';
import { findFlag, listDisabledKeys } from '../flag-store.ts';
import { planArchive } from '../plans/archive-plan.ts';
import { planState } from '../plans/state-plan.ts';
import { planMarkStale, planRestore, planUnmarkStale } from '../plans/status-plans.ts';
import { planUpdate } from '../plans/update-plan.ts';
import type { ProjectLookups } from '../project-lookups.ts';
import { requireFlag, requireUnarchived } from '../require-flag.ts';
import type { BulkBody, BulkResult } from './bulk-schemas.ts';

/** Maximum number of flags in one call. */
const BULK_MAX = 100;

export interface BulkService {
  /**
   * Applies one action to many flags. By default each flag succeeds or fails on its own. With `atomic`, either all
   * flags change, or none changes and the first error is thrown. Throws BULK_COUNT_MISMATCH when the number of flags
   * that the filter matches is not `expected_count`.
   */
  run(actor: Actor, input: BulkBody, options: ChangeOptions): Promise<readonly BulkResult[]>;
}

export interface BulkServiceDeps {
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly lookups: ProjectLookups;
  readonly planPromote: PlanPromote;
}

interface Outcome {
  readonly changed: boolean;
}

export function createBulkService({ gate, newId, lookups, planPromote }: BulkServiceDeps): BulkService {
  return {
    async run(actor, input, options) {
      const { organizationId } = actor;
      const outcomes = await gate.applyChanges<Outcome>(
        actor,
        {
          permission: 'flag.write',
          atomic: input.atomic === true ? 'all' : 'each',
          async *changes(tx) {
            const environment = await lookups.requireEnvironment(tx, organizationId, input.environment_id);
            const ids = await findIds(tx, input, { organizationId, projectId: environment.project_id });
            for (const flagId of ids)
              yield changeOf({ lookups, newId, planPromote, organizationId, input, flagId });
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
  { flag_ids, filter, expected_count, environment_id }: BulkBody,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
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
  if (ids.length > BULK_MAX) throw limitExceeded({ limit: 'flags', maximum: BULK_MAX });
  return ids;
}

const AUDIT_ACTIONS: Readonly<Record<BulkBody['action'], AuditAction>> = {
  toggle: 'flag.toggled',
  archive: 'flag.archived',
  restore: 'flag.restored',
  add_tags: 'flag.updated',
  remove_tags: 'flag.updated',
  set_owner: 'flag.updated',
  mark_stale: 'flag.marked_stale',
  unmark_stale: 'flag.reactivated',
  promote: 'flag.promoted',
};

interface FlagAction extends Pick<BulkServiceDeps, 'lookups' | 'newId' | 'planPromote'> {
  readonly organizationId: string;
  readonly input: BulkBody;
  readonly flagId: string;
}

function changeOf(action: FlagAction): Change<Outcome> {
  const { lookups, organizationId, input, flagId } = action;
  return {
    action: AUDIT_ACTIONS[input.action],
    permission: 'flag.write',
    resourceId: flagId,
    async plan(tx, at) {
      const address = { organizationId, flagId, environmentId: input.environment_id };
      const flag = await requireFlag(tx, lookups, address);
      const plan = await planOf(tx, { ...action, flag, at });
      const { before, after } = plan;
      return mapPlan(plan, () => ({ changed: JSON.stringify(before) !== JSON.stringify(after) }));
    },
  };
}

async function planOf(
  tx: Tx,
  action: FlagAction & { readonly flag: FlagState; readonly at: string },
): Promise<Plan<unknown>> {
  const { lookups, newId, organizationId, input, flag, at } = action;
  const { params = {} } = input;
  const update = (patch: Parameters<typeof planUpdate>[1]['input']) =>
    planUpdate(tx, { lookups, newId, before: requireUnarchived(flag), input: patch, at });
  switch (input.action) {
    case 'toggle':
      return planState(tx, { lookups, before: flag, at }, { ...flag, enabled: params.enabled! });
    case 'archive':
      return planArchive(tx, { lookups, before: flag, at });
    case 'restore':
      return planRestore(tx, { lookups, before: flag, at });
    case 'mark_stale':
      return planMarkStale(flag, ['manual'], at);
    case 'unmark_stale':
      return planUnmarkStale(flag, { snoozeUntil: params.snooze_until, field: 'params.snooze_until', at });
    case 'add_tags':
      return update({ tags: [...new Set([...flag.tags, ...params.tags!])] });
    case 'remove_tags':
      return update({ tags: flag.tags.filter((tag) => !params.tags!.includes(tag)) });
    case 'set_owner':
      return update({ owner_id: params.owner_id! });
    default: {
      const environmentId = params.target_environment_id!;
      await lookups.requireEnvironment(tx, organizationId, environmentId);
      const target = await findFlag(tx, { organizationId, flagId: flag.id, environmentId });
      if (target === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
      const disabledKeys = await listDisabledKeys(tx, environmentId);
      requireUnarchived(target);
      return action.planPromote(tx, {
        lookups,
        newId,
        source: flag,
        target,
        promotion: params,
        disabledKeys,
        at,
      });
    }
  }
}
