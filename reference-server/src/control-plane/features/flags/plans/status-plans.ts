import { ApiError, invalid } from '../../../../http/errors.ts';
import { normalizeTimestamp } from '../../../../http/timestamps.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { Plan } from '../../../write-gate/change.ts';
import { requirePrerequisites } from '../checks/require-prerequisites.ts';
import type { FlagRecord } from '../flag-schemas.ts';
import {
  configRow,
  type FlagState,
  fieldsOf,
  flagRow,
  resourceOf,
  revisionOf,
  toRecord,
} from '../flag-state.ts';
import { listStates, updateConfig, updateFlag } from '../flag-store.ts';
import type { ProjectLookups } from '../project-lookups.ts';
import { byEnvironmentKey } from '../project-wide-fields.ts';
import { requireStatus } from '../require-flag.ts';
import { ACTIVE_AGAIN } from './state-plan.ts';

export type StatusPart = Partial<
  Pick<FlagState, 'status' | 'staleSince' | 'staleReasons' | 'staleSnoozedUntil' | 'archivedAt'>
>;

/** Changes the status. `environmentIds` names the environments whose rulesets change; default none. */
export function planStatus(
  before: FlagState,
  part: StatusPart,
  { at, environmentIds = [] }: { readonly at: string; readonly environmentIds?: readonly string[] },
): Plan<FlagRecord> {
  const after: FlagState = {
    ...before,
    ...part,
    flagRevision: before.flagRevision + 1,
    flagUpdatedAt: at,
  };
  return {
    resource: resourceOf(after),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: revisionOf(before),
    reach: {
      ...(environmentIds.length > 0 && { served: { environmentIds, flagKeys: [before.key] } }),
      shared: { requires: 'all-environments' },
    },
    async write(tx) {
      await updateFlag(tx, flagRow(after));
      return toRecord(after);
    },
  };
}

/** Marks an active flag as stale. Throws FLAG_STATUS_CONFLICT. */
export function planMarkStale(
  flag: FlagState,
  reasons: FlagState['staleReasons'],
  at: string,
): Plan<FlagRecord> {
  requireStatus(flag, 'active');
  const part = { status: 'stale', staleSince: at, staleReasons: reasons, staleSnoozedUntil: null } as const;
  return planStatus(flag, part, { at });
}

/**
 * Makes a stale flag active. The nightly job skips it until `snoozeUntil`; without one, the next run checks it again.
 * Throws FLAG_STATUS_CONFLICT, and VALIDATION_ERROR for `field` when the time is past.
 */
export function planUnmarkStale(
  flag: FlagState,
  {
    snoozeUntil,
    field,
    at,
  }: { readonly snoozeUntil: string | undefined; readonly field: string; readonly at: string },
): Plan<FlagRecord> {
  requireStatus(flag, 'stale');
  const staleSnoozedUntil = snoozeUntil === undefined ? null : normalizeTimestamp(snoozeUntil, field);
  if (staleSnoozedUntil !== null && staleSnoozedUntil <= at) {
    throw invalid({ field, location: 'body', code: 'range', message: 'must be in the future' });
  }
  return planStatus(flag, { ...ACTIVE_AGAIN, staleSnoozedUntil }, { at });
}

export interface RestoreRequest {
  readonly lookups: Pick<ProjectLookups, 'listEnvironmentIds' | 'listEnvironmentKeys'>;
  readonly before: FlagState;
  readonly at: string;
}

/**
 * Restores an archived flag, switched off everywhere. Throws FLAG_NOT_ARCHIVED, and the errors of
 * `requirePrerequisites` when the prerequisites of the flag are no longer valid.
 */
export async function planRestore(
  tx: Tx,
  { lookups, before, at }: RestoreRequest,
): Promise<Plan<FlagRecord>> {
  if (before.status !== 'archived') throw new ApiError('FLAG_NOT_ARCHIVED');
  const { organizationId, projectId } = before;
  const environmentIds = await lookups.listEnvironmentIds(tx, organizationId, projectId);
  const states = await listStates(tx, organizationId, before.id);
  // A prerequisite may have been archived meanwhile, because a flag can be archived while others depend on it.
  for (const state of states) await requirePrerequisites(tx, state, { allowArchived: true });
  const switchedOff = states
    .filter((state) => state.enabled)
    .map((state) => ({
      ...state,
      enabled: false,
      configRevision: state.configRevision + 1,
      configUpdatedAt: at,
    }));
  const keys = await lookups.listEnvironmentKeys(tx, organizationId, projectId);
  const switches = (enabled: boolean) =>
    switchedOff.length > 0 && { environments: byEnvironmentKey(switchedOff, keys, () => ({ enabled })) };
  const own = switchedOff.find((state) => state.environmentId === before.environmentId) ?? before;
  const after: FlagState = {
    ...own,
    ...ACTIVE_AGAIN,
    archivedAt: null,
    flagRevision: before.flagRevision + 1,
    flagUpdatedAt: at,
  };
  return {
    resource: resourceOf(after),
    before: { ...fieldsOf(before), ...switches(true) },
    after: { ...fieldsOf(after), ...switches(false) },
    revision: revisionOf(before),
    reach: {
      served: { environmentIds, flagKeys: [before.key] },
      shared: { requires: 'all-environments' },
    },
    async write() {
      await updateFlag(tx, flagRow(after));
      for (const state of switchedOff) await updateConfig(tx, configRow(state));
      return toRecord(after);
    },
  };
}
