import { ApiError } from '../../../http/errors.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { ReservedKeyTable } from '../../../storage/flag-tables.ts';
import type { Actor } from '../../access/actor.ts';
import { requireConfirmation } from '../../endpoint/confirm-key.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, Plan, WriteGate } from '../../write-gate/change.ts';
import type { FlagRecord, StaleReason } from '../flags/flag-schemas.ts';
import { type FlagState, projectWideResource, revisionOf } from '../flags/flag-state.ts';
import type { Dependent, ListStates } from '../flags/flag-store.ts';
import { warnOfCode } from '../flags/plans/archive-plan.ts';
import { planMarkStale, planRestore, planStatus, planUnmarkStale } from '../flags/plans/status-plans.ts';
import type { ProjectLookups } from '../flags/project-lookups.ts';
import { projectWideFields } from '../flags/project-wide-fields.ts';
import { type FlagAddress, requireFlag, requireStatus } from '../flags/require-flag.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { deleteFlag, listReservedKeys, releaseKey, reserveKey } from './lifecycle-store.ts';

/** The changes of a flag's status ("Flag lifecycle"), and the keys of deleted flags. */
export interface LifecycleService {
  /** Draft to active: every ruleset of the project contains the flag from then on. */
  activate(actor: Actor, address: FlagAddress, options: ChangeOptions): Promise<FlagRecord>;
  /** Active to stale. Evaluation does not change. */
  markStale(
    actor: Actor,
    wanted: FlagAddress & { readonly reason: StaleReason },
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** Stale to active. The nightly job skips the flag until `snoozeUntil`; default: the next run checks it again. */
  unmarkStale(
    actor: Actor,
    wanted: FlagAddress & { readonly snoozeUntil: string | undefined },
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** Archived to active, switched off in every environment. */
  restore(actor: Actor, address: FlagAddress, options: ChangeOptions): Promise<FlagRecord>;
  /** Deletes an archived flag and reserves its key, which `confirmKey` must repeat. Needs a recent login. */
  deletePermanently(
    actor: Actor,
    wanted: { readonly flagId: string; readonly confirmKey: string },
    options: ChangeOptions,
  ): Promise<void>;
  /** The keys of deleted flags that are still reserved, in alphabetical order. */
  listReservedKeys(actor: Actor, projectId: string): Promise<readonly ReservedKeyTable[]>;
  /** Ends the reservation of a key. Throws RESERVED_KEY_NOT_FOUND. */
  releaseKey(
    actor: Actor,
    wanted: { readonly projectId: string; readonly key: string },
    options: ChangeOptions,
  ): Promise<void>;
}

export interface LifecycleServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
  readonly lookups: Pick<
    ProjectLookups,
    'requireEnvironment' | 'listEnvironmentIds' | 'listEnvironmentKeys' | 'countCodeReferences'
  >;
  readonly listStates: ListStates;
  /** The flags that have a flag as a prerequisite. */
  readonly listDependents: (
    db: Queryable,
    projectId: string,
    flagKey: string,
  ) => Promise<readonly Dependent[]>;
  readonly requireProject: RequireProject;
  /** Throws REAUTHENTICATION_REQUIRED unless the actor has entered the password recently. */
  readonly requireRecentLogin: (db: Queryable, actor: Actor, at: string) => Promise<void>;
  /** Days for which the key of a deleted flag is reserved; default 365. */
  readonly keyReservationDays?: number | undefined;
}

export function createLifecycleService(deps: LifecycleServiceDeps): LifecycleService {
  const { db, gate, now, lookups, requireProject } = deps;

  const changeOf = (
    action: AuditAction,
    [{ organizationId }, address]: readonly [Actor, FlagAddress],
    plan: (tx: Tx, flag: FlagState, at: string) => Plan<FlagRecord> | Promise<Plan<FlagRecord>>,
  ): Change<FlagRecord> => ({
    action,
    permission: 'flag.write',
    plan: async (tx, at) => plan(tx, await requireFlag(tx, lookups, { organizationId, ...address }), at),
  });

  return {
    activate: (actor, address, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.activated', [actor, address], async (tx, flag, at) => {
          const { organizationId, projectId } = requireStatus(flag, 'draft');
          const environmentIds = await lookups.listEnvironmentIds(tx, organizationId, projectId);
          return planStatus(flag, { status: 'active' }, { at, environmentIds });
        }),
        options,
      ),

    markStale: (actor, { reason, ...address }, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.marked_stale', [actor, address], (_tx, flag, at) => planMarkStale(flag, [reason], at)),
        options,
      ),

    unmarkStale: (actor, { snoozeUntil, ...address }, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.reactivated', [actor, address], (_tx, flag, at) =>
          planUnmarkStale(flag, { snoozeUntil, field: 'snooze_until', at }),
        ),
        options,
      ),

    restore: (actor, address, options) =>
      gate.applyChange(
        actor,
        changeOf('flag.restored', [actor, address], (tx, before, at) =>
          planRestore(tx, { lookups, before, at }),
        ),
        options,
      ),

    deletePermanently: (actor, { flagId, confirmKey }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'flag.deleted',
          permission: 'flag.delete',
          plan: (tx, at) => planDelete(tx, deps, { actor, flagId, confirmKey, at }),
        },
        options,
      ),

    async listReservedKeys(actor, projectId) {
      await requireProject(db, actor.organizationId, projectId);
      return listReservedKeys(db, projectId, new Date(now()).toISOString());
    },

    releaseKey: (actor, { projectId, key }, options) =>
      gate.applyChange(
        actor,
        {
          action: 'reserved_key.released',
          permission: 'flag.delete',
          async plan(tx, at) {
            await requireProject(tx, actor.organizationId, projectId);
            const row = (await listReservedKeys(tx, projectId, at)).find((one) => one.key === key);
            if (row === undefined) throw new ApiError('RESERVED_KEY_NOT_FOUND');
            const { flag_id, reserved_until } = row;
            return {
              resource: { type: 'reserved_key', id: flag_id, key, projectId },
              before: { key, reserved_until },
              after: null,
              write: () => releaseKey(tx, projectId, key),
            };
          },
        },
        options,
      ),
  };
}

async function planDelete(
  tx: Tx,
  { lookups, listStates, listDependents, requireRecentLogin, keyReservationDays = 365 }: LifecycleServiceDeps,
  of: { actor: Actor; flagId: string; confirmKey: string; at: string },
): Promise<Plan<void>> {
  const { actor, flagId, at } = of;
  const states = await listStates(tx, actor.organizationId, flagId);
  const [flag] = states;
  if (flag === undefined) throw new ApiError('FLAG_NOT_FOUND');
  await requireRecentLogin(tx, actor, at);
  requireConfirmation(flag.key, of.confirmKey);
  if (flag.status !== 'archived') throw new ApiError('FLAG_NOT_ARCHIVED');
  const { organizationId, projectId, key } = flag;
  const dependents = await listDependents(tx, projectId, key);
  if (dependents.length > 0) throw new ApiError('FLAG_HAS_DEPENDENTS', { details: { dependents } });
  const environmentKeys = await lookups.listEnvironmentKeys(tx, organizationId, projectId);
  return {
    resource: projectWideResource(flag),
    before: projectWideFields(states, environmentKeys),
    after: null,
    warnings: await warnOfCode(tx, lookups, flag),
    revision: revisionOf(flag),
    reach: {
      served: {
        environmentIds: await lookups.listEnvironmentIds(tx, organizationId, projectId),
        flagKeys: [key],
      },
      shared: { requires: 'all-environments' },
    },
    async write() {
      await deleteFlag(tx, flagId);
      await reserveKey(tx, {
        organization_id: organizationId,
        project_id: projectId,
        key,
        flag_id: flagId,
        reserved_at: at,
        reserved_until: new Date(Date.parse(at) + keyReservationDays * DAY_MS).toISOString(),
      });
    },
  };
}
