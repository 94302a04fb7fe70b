import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../../../storage/database.ts';
import type { Plan } from '../../../write-gate/change.ts';
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
import { updateConfig, updateFlag } from '../flag-store.ts';
import type { ProjectLookups } from '../project-lookups.ts';

export interface StateRequest {
  readonly lookups: Pick<ProjectLookups, 'listEnvironmentIds'>;
  readonly before: FlagState;
  readonly at: string;
}

/** The part of a flag that changes when it is no longer stale. */
export const ACTIVE_AGAIN: Pick<FlagState, 'status' | 'staleSince' | 'staleReasons'> = {
  status: 'active',
  staleSince: null,
  staleReasons: [],
};

const REACTIVATED = {
  action: 'flag.reactivated',
  changes: { status: { from: 'stale', to: 'active' } },
} as const;

/**
 * Brings a flag to a state that has been checked. A stale flag becomes active again when the change alters what
 * rulesets contain, except for the switch.
 */
export async function planState(
  tx: Tx,
  request: StateRequest,
  checked: FlagState,
): Promise<Plan<FlagRecord>> {
  const { before, at } = request;
  const configChanged = !isDeepStrictEqual(ownPart(checked), ownPart(before));
  // Only compiled fields change the rulesets; a new name or tag does not.
  const compiledForAll = !isDeepStrictEqual(compiledShared(checked), compiledShared(before));
  // Turning a stale flag off is part of its clean-up, so a toggle leaves the status as it is ("Flag lifecycle").
  const isRevived =
    before.status === 'stale' &&
    checked.status === 'stale' &&
    (compiledForAll || !isDeepStrictEqual(ownPart({ ...checked, enabled: before.enabled }), ownPart(before)));
  const wanted = isRevived ? { ...checked, ...ACTIVE_AGAIN } : checked;
  const flagChanged = !isDeepStrictEqual(sharedPart(wanted), sharedPart(before));
  const after: FlagState = {
    ...wanted,
    ...(flagChanged && { flagRevision: before.flagRevision + 1, flagUpdatedAt: at }),
    ...(configChanged && { configRevision: before.configRevision + 1, configUpdatedAt: at }),
  };
  // Rulesets contain no drafts.
  const isDraft = before.status === 'draft' && wanted.status === 'draft';
  // Rights in the named environment suffice when the flag is a draft, which is served nowhere, or when the change
  // affects other environments only in that the flag becomes active again, which is a side effect.
  const isOwnChange = isDraft || isDeepStrictEqual(sharedPart(checked), sharedPart(before));
  const environmentIds = isDraft ? [] : await servedIn(tx, request, { compiledForAll, configChanged });
  return {
    resource: resourceOf(after),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: revisionOf(before),
    reach: {
      ...(environmentIds.length > 0 && { served: { environmentIds, flagKeys: [before.key] } }),
      ...(flagChanged && { shared: { requires: isOwnChange ? 'named-environments' : 'all-environments' } }),
    },
    isNoOp: !flagChanged && !configChanged,
    ...(isRevived && { extraEntries: [REACTIVATED] }),
    async write() {
      if (flagChanged) await updateFlag(tx, flagRow(after));
      if (configChanged) await updateConfig(tx, configRow(after));
      return toRecord(after);
    },
  };
}

/** Whether all fields that users configure are equal. */
export function isSameState(left: FlagState, right: FlagState): boolean {
  return (
    isDeepStrictEqual(sharedPart(left), sharedPart(right)) && isDeepStrictEqual(ownPart(left), ownPart(right))
  );
}

/** The environments whose rulesets change. */
async function servedIn(
  tx: Tx,
  { lookups, before }: StateRequest,
  { compiledForAll, configChanged }: { readonly compiledForAll: boolean; readonly configChanged: boolean },
): Promise<readonly string[]> {
  if (compiledForAll) return lookups.listEnvironmentIds(tx, before.organizationId, before.projectId);
  return configChanged ? [before.environmentId] : [];
}

function sharedPart({ name, description, tags, classification, permanent, ...state }: FlagState) {
  const { ownerId, expectedEndAt, staleAfterDays, status } = state;
  return {
    name,
    description,
    tags,
    classification,
    permanent,
    ownerId,
    expectedEndAt,
    staleAfterDays,
    status,
    ...compiledShared(state),
  };
}

function compiledShared({
  variations,
  clientSide,
  trackExposures,
  status,
}: Pick<FlagState, 'variations' | 'clientSide' | 'trackExposures' | 'status'>) {
  return { variations, clientSide, trackExposures, served: status === 'stale' ? 'active' : status };
}

function ownPart({ enabled, defaultVariation, rules, prerequisites }: FlagState) {
  return { enabled, defaultVariation, rules, prerequisites };
}
