import { ApiError, invalid } from '../../../http/errors.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ReservedKeyTable } from '../../../storage/flag-tables.ts';
import type { Actor } from '../../access/actor.ts';
import { requireConfirmation } from '../../endpoint/confirm-key.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { ChangeOptions, Plan } from '../../write-gate/change.ts';
import type { FlagRecord, STALE_REASONS } from '../flags/flag-schemas.ts';
import type { FlagAddress, FlagDeps } from '../flags/flag-service.ts';
import { type FlagState, resourceEverywhere, revisionOf } from '../flags/flag-state.ts';
import { dependentsOf, warnOfCode } from '../flags/plans/archive-plan.ts';
import { UNSTALE } from '../flags/plans/update-plan.ts';
import { fieldsEverywhere } from '../flags/project-wide-fields.ts';
import { requireFlag } from '../flags/require-flag.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { type FlagRows, planMarkStale, planRestore, planStatus, requireStatus } from './lifecycle-plans.ts';
import { deleteFlag, listReservedKeys, releaseKey, reserveKey } from './lifecycle-store.ts';

export type StaleReason = (typeof STALE_REASONS)[number];

export interface LifecycleService {
  /** draft to active: from then on in every ruleset. */
  activate(actor: Actor, address: FlagAddress, options: ChangeOptions): Promise<FlagRecord>;
  /** active to stale; evaluation does not change. */
  markStale(
    actor: Actor,
    address: FlagAddress,
    reason: StaleReason,
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** stale to active; the nightly job leaves it alone until `snoozeUntil`. */
  unmarkStale(
    actor: Actor,
    address: FlagAddress,
    snoozeUntil: string | undefined,
    options: ChangeOptions,
  ): Promise<FlagRecord>;
  /** archived to active, switched off in every environment. */
  restore(actor: Actor, address: FlagAddress, options: ChangeOptions): Promise<FlagRecord>;
  /** Removes an archived flag for good and reserves its key, which must be repeated. */
  deleteForGood(actor: Actor, flagId: string, confirmKey: string, options: ChangeOptions): Promise<void>;
  listReservedKeys(actor: Actor, projectId: string): Promise<readonly ReservedKeyTable[]>;
  /** Lets the key of a deleted flag be used again. */
  releaseKey(actor: Actor, projectId: string, key: string, options: ChangeOptions): Promise<void>;
}

export interface LifecycleDeps extends FlagDeps {
  readonly now: () => number;
  readonly rows: FlagRows;
  readonly listStates: (
    db: Queryable,
    organizationId: string,
    flagId: string,
  ) => Promise<readonly FlagState[]>;
  readonly requireProject: RequireProject;
  /** Throws unless the actor has given the password lately. */
  readonly requireRecentLogin: (db: Queryable, actor: Actor, at: string) => Promise<void>;
  /** Until when code has named each flag key of a project; infinite where it does now. */
  readonly lastCodeReferences: (db: Queryable, projectId: string) => Promise<ReadonlyMap<string, number>>;
  /** `FLAGSVC_KEY_RESERVATION_DAYS`: how long the key of a deleted flag is reserved; default 365. */
  readonly keyReservationDays?: number | undefined;
}

export function createLifecycleService(deps: LifecycleDeps): LifecycleService {
  const { db, gate, ports, rows } = deps;

  function change(
    action: AuditAction,
    [actor, address, options]: readonly [Actor, FlagAddress, ChangeOptions],
    plan: (tx: Tx, flag: FlagState, at: string) => Plan<FlagRecord> | Promise<Plan<FlagRecord>>,
  ): Promise<FlagRecord> {
    return gate.applyChange(
      actor,
      {
        action,
        permission: 'flag.write',
        plan: async (tx, at) => plan(tx, await requireFlag(tx, ports, actor.organizationId, address), at),
      },
      options,
    );
  }

  return {
    activate: (...call) =>
      change('flag.activated', call, async (tx, flag, at) => {
        const { organizationId, projectId } = requireStatus(flag, 'draft');
        const environmentIds = await ports.listEnvironmentIds(tx, organizationId, projectId);
        return planStatus(rows, flag, { status: 'active' }, { at, environmentIds });
      }),

    markStale: (actor, address, reason, options) =>
      change('flag.marked_stale', [actor, address, options], (_tx, flag, at) =>
        planMarkStale(rows, flag, [reason], at),
      ),

    unmarkStale: (actor, address, snoozeUntil, options) =>
      change('flag.reactivated', [actor, address, options], (_tx, flag, at) => {
        requireStatus(flag, 'stale');
        const staleSnoozedUntil = snoozeUntil === undefined ? null : readSnooze(snoozeUntil, at);
        return planStatus(rows, flag, { ...UNSTALE, staleSnoozedUntil }, { at });
      }),

    restore: (...call) =>
      change('flag.restored', call, (tx, flag, at) =>
        planRestore(tx, rows, { ...ports, listStates: deps.listStates }, flag, at),
      ),

    deleteForGood: (actor, flagId, confirmKey, options) =>
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
      await deps.requireProject(db, actor.organizationId, projectId);
      return listReservedKeys(db, projectId, new Date(deps.now()).toISOString());
    },

    releaseKey: (actor, projectId, key, options) =>
      gate.applyChange(
        actor,
        {
          action: 'reserved_key.released',
          permission: 'flag.delete',
          async plan(tx, at) {
            await deps.requireProject(tx, actor.organizationId, projectId);
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

function readSnooze(text: string, at: string): string {
  const until = normalizeTimestamp(text, 'snooze_until');
  if (until > at) return until;
  throw invalid({ field: 'snooze_until', location: 'body', code: 'range', message: 'must be ahead' });
}

async function planDelete(
  tx: Tx,
  { ports, listStates, requireRecentLogin, keyReservationDays = 365 }: LifecycleDeps,
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
  const waiting = await dependentsOf(tx, projectId, key);
  if (waiting.length > 0) throw new ApiError('FLAG_HAS_DEPENDENTS', { details: { dependents: waiting } });
  const environmentKeys = await ports.environmentKeys(tx, organizationId, projectId);
  return {
    resource: resourceEverywhere(flag),
    before: fieldsEverywhere(states, environmentKeys),
    after: null,
    warnings: await warnOfCode(tx, ports, flag),
    revision: revisionOf(flag),
    reach: {
      served: {
        environmentIds: await ports.listEnvironmentIds(tx, organizationId, projectId),
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
