import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Plan } from '../../write-gate/change.ts';
import { requirePrerequisites } from '../flags/checks/require-prerequisites.ts';
import type { FlagRecord } from '../flags/flag-schemas.ts';
import type { FlagPorts } from '../flags/flag-service.ts';
import {
  type ConfigRow,
  configRow,
  type FlagRow,
  type FlagState,
  fieldsOf,
  flagRow,
  resourceOf,
  revisionOf,
  toRecord,
} from '../flags/flag-state.ts';
import { UNSTALE } from '../flags/plans/update-plan.ts';
import { byEnvironment } from '../flags/project-wide-fields.ts';

/** What the plans write with; the stores of flags. */
export interface FlagRows {
  readonly updateFlag: (tx: Tx, row: FlagRow) => Promise<void>;
  readonly updateConfig: (tx: Tx, row: ConfigRow) => Promise<void>;
}

export type StatusPart = Partial<
  Pick<FlagState, 'status' | 'staleSince' | 'staleReasons' | 'staleSnoozedUntil' | 'archivedAt'>
>;

/** Throws FLAG_STATUS_CONFLICT unless the flag's status is one of those. */
export function requireStatus(flag: FlagState, ...allowed: readonly FlagState['status'][]): FlagState {
  if (allowed.includes(flag.status)) return flag;
  throw new ApiError('FLAG_STATUS_CONFLICT', { details: { status: flag.status, allowed } });
}

/** Plans another status; nothing that is compiled changes but by it. */
export function planStatus(
  rows: FlagRows,
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
      await rows.updateFlag(tx, flagRow(after));
      return toRecord(after);
    },
  };
}

/** active to stale; throws FLAG_STATUS_CONFLICT. */
export function planMarkStale(
  rows: FlagRows,
  flag: FlagState,
  reasons: FlagState['staleReasons'],
  at: string,
): Plan<FlagRecord> {
  requireStatus(flag, 'active');
  const part = { status: 'stale', staleSince: at, staleReasons: reasons, staleSnoozedUntil: null } as const;
  return planStatus(rows, flag, part, { at });
}

/** Brings an archived flag back, switched off everywhere. Throws when it may no longer wait for what it waited for. */
export async function planRestore(
  tx: Tx,
  rows: FlagRows,
  ports: Pick<FlagPorts, 'listEnvironmentIds' | 'environmentKeys'> & {
    readonly listStates: (tx: Tx, organizationId: string, flagId: string) => Promise<readonly FlagState[]>;
  },
  before: FlagState,
  at: string,
): Promise<Plan<FlagRecord>> {
  if (before.status !== 'archived') throw new ApiError('FLAG_NOT_ARCHIVED');
  const { organizationId, projectId } = before;
  const environmentIds = await ports.listEnvironmentIds(tx, organizationId, projectId);
  const states = await ports.listStates(tx, organizationId, before.id);
  // Others went on while it was away. What is archived itself may be waited for, as when it is archived now.
  for (const state of states) await requirePrerequisites(tx, state, { archivedToo: true });
  const switchedOff = states
    .filter((state) => state.enabled)
    .map((state) => ({
      ...state,
      enabled: false,
      configRevision: state.configRevision + 1,
      configUpdatedAt: at,
    }));
  const keys = await ports.environmentKeys(tx, organizationId, projectId);
  const switches = (enabled: boolean) =>
    switchedOff.length > 0 && { environments: byEnvironment(switchedOff, keys, () => ({ enabled })) };
  const own = switchedOff.find((state) => state.environmentId === before.environmentId) ?? before;
  const after: FlagState = {
    ...own,
    ...UNSTALE,
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
      await rows.updateFlag(tx, flagRow(after));
      for (const state of switchedOff) await rows.updateConfig(tx, configRow(state));
      return toRecord(after);
    },
  };
}
