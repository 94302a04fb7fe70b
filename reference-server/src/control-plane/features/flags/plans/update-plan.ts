import type { Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Plan } from '../../../write-gate/change.ts';
import type { PrerequisiteGraph } from '../checks/check-prerequisites.ts';
import { checkRules } from '../checks/check-rules.ts';
import { checkSizes } from '../checks/check-sizes.ts';
import {
  checkDefaultVariation,
  checkRemovedVariations,
  checkVariations,
} from '../checks/check-variations.ts';
import { requireOwner } from '../checks/require-owner.ts';
import { requirePrerequisites } from '../checks/require-prerequisites.ts';
import { warnOfRules } from '../checks/rule-warnings.ts';
import type { FlagRecord, UpdateFlagInput } from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';
import { listConfigs, listConfigsWithPrerequisites } from '../flag-store.ts';
import type { ProjectLookups } from '../project-lookups.ts';
import { readExpectedEnd } from './new-flag.ts';
import { planState } from './state-plan.ts';

/** A change of a flag's fields in one environment. */
export interface MergeRequest {
  readonly lookups: Pick<ProjectLookups, 'listSegmentKeys' | 'isMember'>;
  readonly newId: NewId;
  readonly before: FlagState;
  /** Absent fields keep their value. */
  readonly input: UpdateFlagInput;
  /** Default: unchanged. */
  readonly enabled?: boolean | undefined;
  /** Ids that rules may keep although the flag has no such rule now, for instance when a revision is restored. */
  readonly knownRuleIds?: readonly string[];
  /** The prerequisites of all flags in the environment. Default: read from the database. */
  readonly graph?: PrerequisiteGraph | undefined;
}

export type UpdateLookups = Pick<
  ProjectLookups,
  'listEnvironmentIds' | 'listSegmentKeys' | 'listSegments' | 'isMember'
>;

export interface UpdateRequest extends MergeRequest {
  readonly lookups: UpdateLookups;
  readonly at: string;
}

/** Changes the given fields of a flag. Warns of rules that can never decide. */
export async function planUpdate(tx: Tx, request: UpdateRequest): Promise<Plan<FlagRecord>> {
  const wanted = await mergeInput(tx, request);
  await checkReferences(tx, request, wanted);
  const plan = await planState(tx, request, wanted);
  if (request.input.targeting_rules === undefined) return plan;
  return { ...plan, warnings: await warnOfRules(tx, request.lookups, wanted) };
}

/**
 * Returns the state after the change. Checks it only against the flag itself and the segments of the project;
 * `checkReferences` does the rest.
 */
export async function mergeInput(
  tx: Tx,
  { lookups, newId, before, input, enabled, knownRuleIds = [] }: MergeRequest,
): Promise<FlagState> {
  checkSizes(before, input);
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
          segmentKeys: new Set(await lookups.listSegmentKeys(tx, before.projectId)),
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
      input.expected_end_at === undefined ? before.expectedEndAt : readExpectedEnd(input.expected_end_at),
    staleAfterDays: input.stale_after_days === undefined ? before.staleAfterDays : input.stale_after_days,
    enabled: enabled ?? before.enabled,
    defaultVariation,
    rules,
    prerequisites:
      input.prerequisites?.map(({ flag_key, variation }) => ({ flag_key, variation })) ??
      before.prerequisites,
  };
}

/** Checks a merged state against other environments, other flags and the members of the organization. */
export async function checkReferences(
  tx: Tx,
  { lookups, before, input, graph }: MergeRequest,
  wanted: FlagState,
): Promise<void> {
  const { projectId, environmentId } = before;
  const kept = new Set(wanted.variations.map((variation) => variation.key));
  const removed = new Set(before.variations.map(({ key }) => key).filter((key) => !kept.has(key)));
  if (removed.size > 0) {
    const configs = await listConfigs(tx, before.id);
    checkRemovedVariations(removed, {
      flagKey: before.key,
      ownConfigs: configs.map((config) => (config.environmentId === environmentId ? wanted : config)),
      dependents: await listConfigsWithPrerequisites(tx, projectId),
    });
  }
  if (input.prerequisites !== undefined) await requirePrerequisites(tx, wanted, { graph });
  if (wanted.ownerId !== before.ownerId) await requireOwner(tx, lookups, wanted);
}
