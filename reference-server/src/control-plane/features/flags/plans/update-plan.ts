import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../../../http/errors.ts';
import { normalizeTimestamp } from '../../../../http/timestamps.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { Plan } from '../../../write-gate/change.ts';
import {
  checkDefaultVariation,
  checkRemovedVariations,
  checkRules,
  checkVariations,
} from '../checks/check-flag.ts';
import type { PrerequisiteGraph } from '../checks/check-prerequisites.ts';
import { requirePrerequisites } from '../checks/require-prerequisites.ts';
import { warnOfRules } from '../checks/rule-warnings.ts';
import type { FlagRecord, UpdateFlagInput } from '../flag-schemas.ts';
import type { FlagDeps } from '../flag-service.ts';
import {
  configRow,
  type FlagState,
  fieldsOf,
  flagRow,
  resourceOf,
  revisionOf,
  toRecord,
} from '../flag-state.ts';
import { listConfigs, listConfigsWithPrerequisites, updateConfig, updateFlag } from '../flag-store.ts';

export interface UpdateRequest extends Pick<FlagDeps, 'newId' | 'ports'> {
  readonly before: FlagState;
  readonly input: UpdateFlagInput;
  /** The switch; absent: as it is. */
  readonly enabled?: boolean | undefined;
  /** Rules that are known from before and keep their ids, beside the flag's present ones. */
  readonly knownRuleIds?: readonly string[];
  /** What the flags of the environment wait for, where that is known. */
  readonly graph?: PrerequisiteGraph | undefined;
  readonly at: string;
}

export async function planUpdate(tx: Tx, request: UpdateRequest): Promise<Plan<FlagRecord>> {
  const wanted = await mergeInput(tx, request);
  await checkReferences(tx, request, wanted);
  const plan = await planState(tx, request, wanted);
  if (request.input.targeting_rules === undefined) return plan;
  return { ...plan, warnings: await warnOfRules(tx, request.ports, wanted) };
}

interface StateRequest {
  readonly ports: Pick<FlagDeps['ports'], 'listEnvironmentIds'>;
  readonly before: FlagState;
  readonly at: string;
}

/** Brings a flag to a state that has been checked. */
export async function planState(
  tx: Tx,
  request: StateRequest,
  checked: FlagState,
): Promise<Plan<FlagRecord>> {
  const { before, at } = request;
  const configChanged = !isDeepStrictEqual(ownPart(checked), ownPart(before));
  // Names, tags and the like are not compiled: no environment has to fetch anything for them.
  const compiledForAll = !isDeepStrictEqual(compiledShared(checked), compiledShared(before));
  // A toggle leaves the status as it is ("Flag lifecycle"): switching off what is to be cleaned up is no work on it.
  const isRevived =
    before.status === 'stale' &&
    checked.status === 'stale' &&
    (compiledForAll || !isDeepStrictEqual(ownPart({ ...checked, enabled: before.enabled }), ownPart(before)));
  const wanted = isRevived ? { ...checked, ...UNSTALE } : checked;
  const flagChanged = !isDeepStrictEqual(sharedPart(wanted), sharedPart(before));
  const after: FlagState = {
    ...wanted,
    ...(flagChanged && { flagRevision: before.flagRevision + 1, flagUpdatedAt: at }),
    ...(configChanged && { configRevision: before.configRevision + 1, configUpdatedAt: at }),
  };
  // A draft is in no ruleset.
  const isSilent = before.status === 'draft' && wanted.status === 'draft';
  // Becoming active again is a side effect of work in one environment, and a draft is served in none.
  const isOwnWork = isSilent || isDeepStrictEqual(sharedPart(checked), sharedPart(before));
  const environmentIds = isSilent
    ? []
    : await environmentsReached(tx, request, { compiledForAll, configChanged });
  return {
    resource: resourceOf(after),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: revisionOf(before),
    reach: {
      ...(environmentIds.length > 0 && { served: { environmentIds, flagKeys: [before.key] } }),
      ...(flagChanged && { shared: { requires: isOwnWork ? 'named-environments' : 'all-environments' } }),
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

/** The environments whose rulesets a change alters. */
async function environmentsReached(
  tx: Tx,
  { ports, before }: StateRequest,
  { compiledForAll, configChanged }: { readonly compiledForAll: boolean; readonly configChanged: boolean },
): Promise<readonly string[]> {
  if (compiledForAll) return ports.listEnvironmentIds(tx, before.organizationId, before.projectId);
  return configChanged ? [before.environmentId] : [];
}

/** A flag that somebody works on is not stale any more. */
export const UNSTALE: Pick<FlagState, 'status' | 'staleSince' | 'staleReasons'> = {
  status: 'active',
  staleSince: null,
  staleReasons: [],
};

const REACTIVATED = {
  action: 'flag.reactivated',
  changes: { status: { from: 'stale', to: 'active' } },
} as const;

/** The flag as it would be; what can be told from the flag and its project's segments alone is checked. */
export async function mergeInput(
  tx: Tx,
  { ports, newId, before, input, enabled, knownRuleIds = [] }: UpdateRequest,
): Promise<FlagState> {
  const variations =
    input.variations === undefined ? before.variations : checkVariations(before.flagType, input.variations);
  const variationKeys = new Set(variations.map((variation) => variation.key));
  const defaultVariation = input.default_variation ?? before.defaultVariation;
  if (input.default_variation !== undefined) checkDefaultVariation(defaultVariation, variationKeys);
  const rules =
    input.targeting_rules === undefined
      ? before.rules
      : checkRules(input.targeting_rules, {
          variationKeys,
          segmentKeys: new Set(await ports.listSegmentKeys(tx, before.projectId)),
          knownIds: new Set([...before.rules.map((rule) => rule.id), ...knownRuleIds]),
          before: before.rules,
          newId,
        });
  return {
    ...before,
    name: input.name ?? before.name,
    description: input.description ?? before.description,
    variations,
    tags: input.tags === undefined ? before.tags : [...new Set(input.tags)],
    classification: input.classification === undefined ? before.classification : input.classification,
    clientSide: input.client_side ?? before.clientSide,
    trackExposures: input.track_exposures ?? before.trackExposures,
    permanent: input.permanent ?? before.permanent,
    ownerId: input.owner_id === undefined ? before.ownerId : input.owner_id,
    expectedEndAt:
      input.expected_end_at === undefined ? before.expectedEndAt : (readEnd(input.expected_end_at) ?? null),
    staleAfterDays: input.stale_after_days === undefined ? before.staleAfterDays : input.stale_after_days,
    enabled: enabled ?? before.enabled,
    defaultVariation,
    rules,
    prerequisites:
      input.prerequisites?.map(({ flag_key, variation }) => ({ flag_key, variation })) ??
      before.prerequisites,
  };
}

export function readEnd(text: string | null | undefined): string | null | undefined {
  return text == null ? text : normalizeTimestamp(text, 'expected_end_at');
}

/** Checks what other rows decide: other environments, other flags, people. */
export async function checkReferences(
  tx: Tx,
  { ports, before, input, graph }: UpdateRequest,
  wanted: FlagState,
): Promise<void> {
  const { organizationId, projectId, environmentId } = before;
  const kept = new Set(wanted.variations.map((variation) => variation.key));
  const removed = new Set(before.variations.map(({ key }) => key).filter((key) => !kept.has(key)));
  if (removed.size > 0) {
    const configs = await listConfigs(tx, before.id);
    const own = configs.map((config) => (config.environmentId === environmentId ? wanted : config));
    const dependants = await listConfigsWithPrerequisites(tx, projectId);
    checkRemovedVariations(removed, before.key, own, dependants);
  }
  if (input.prerequisites !== undefined) await requirePrerequisites(tx, wanted, { graph });
  const { ownerId } = wanted;
  if (ownerId !== null && ownerId !== before.ownerId) await requireOwner(tx, ports, organizationId, ownerId);
}

/** Throws VALIDATION_ERROR unless the user is a member. */
export async function requireOwner(
  tx: Tx,
  { isMember }: Pick<FlagDeps['ports'], 'isMember'>,
  organizationId: string,
  ownerId: string,
): Promise<void> {
  if (await isMember(tx, organizationId, ownerId)) return;
  throw invalid({ field: 'owner_id', location: 'body', code: 'unknown', message: 'is not a member' });
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

/** Whether nothing that people configure differs. */
export function isSameState(left: FlagState, right: FlagState): boolean {
  return (
    isDeepStrictEqual(sharedPart(left), sharedPart(right)) && isDeepStrictEqual(ownPart(left), ownPart(right))
  );
}

function ownPart({ enabled, defaultVariation, rules, prerequisites }: FlagState) {
  return { enabled, defaultVariation, rules, prerequisites };
}
