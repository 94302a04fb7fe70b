import type { Context, Ruleset } from '@flagsvc/sdk-core';
import { heavyWork } from '../../../../data-plane/evaluate/heavy-work.ts';
import { requireWork } from '../../../../data-plane/evaluate/require-work.ts';
import { ApiError } from '../../../../http/errors.ts';
import type { Warning } from '../../../../http/warnings.ts';
import { segmentKeysOf } from '../../../../lib/segment-keys.ts';
import { compileRuleset, type FlagRow } from '../../../../publishing/compile.ts';
import { referencedAttributes } from '../../../../publishing/referenced-attributes.ts';
import type { Database, Queryable, Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import { readConsistently } from '../../../../storage/transactions.ts';
import type { Actor } from '../../../access/actor.ts';
import { ruleScope } from '../checks/rule-scope.ts';
import { ruleWarnings } from '../checks/rule-warnings.ts';
import { configRow, type FlagState, flagRow } from '../flag-state.ts';
import { listConfigsWithPrerequisites, listStatesByKey } from '../flag-store.ts';
import { followInstructions, type Instruction } from '../plans/instructions.ts';
import { checkReferences, mergeInput } from '../plans/update-plan.ts';
import type { ProjectLookups } from '../project-lookups.ts';
import { type FlagAddress, requireFlag, requireUnarchived } from '../require-flag.ts';
import { type Comparison, createMeasure, type Preview, previewChange } from './preview-change.ts';

export interface PreviewService {
  /**
   * Returns how instructions would change what some contexts get from this flag and from flags that depend on it.
   * Writes nothing. Throws the errors of the change itself, and CONTEXTS_NOT_RECORDED for `recent` contexts of an
   * environment that records none.
   */
  preview(actor: Actor, wanted: PreviewRequest): Promise<Preview & { readonly warnings: readonly Warning[] }>;
}

export interface PreviewRequest extends FlagAddress {
  readonly instructions: readonly Instruction[];
  readonly contexts: readonly Context[] | 'recent';
}

export interface PreviewServiceDeps {
  readonly db: Database;
  readonly newId: NewId;
  readonly lookups: Pick<
    ProjectLookups,
    'requireEnvironment' | 'listSegments' | 'listSegmentKeys' | 'isMember'
  >;
  /** The recorded contexts of an environment; undefined when it records none. */
  readonly recentContexts: (db: Queryable, environmentId: string) => Promise<readonly Context[] | undefined>;
}

/** Everything that a preview reads, from one state of the database. */
interface PreviewInput {
  readonly comparison: Comparison;
  readonly warnings: readonly Warning[];
  readonly contexts: readonly Context[];
}

export function createPreviewService(deps: PreviewServiceDeps): PreviewService {
  return {
    async preview({ organizationId }, wanted) {
      const { comparison, warnings, contexts } = await readConsistently(deps.db, (tx) =>
        readInput(tx, deps, { ...wanted, organizationId }),
      );
      const isSample = wanted.contexts === 'recent';
      const { taken, work } = takeContexts(comparison, contexts, isSample);
      const preview = { ...(await heavyWork.run(work, previewChange(comparison, taken))), warnings };
      return isSample
        ? { ...preview, unrecorded_attributes: unrecordedAttributes(comparison, contexts) }
        : preview;
    },
  };
}

async function readInput(
  tx: Tx,
  { newId, lookups, recentContexts }: PreviewServiceDeps,
  wanted: PreviewRequest & { readonly organizationId: string },
): Promise<PreviewInput> {
  const { organizationId, environmentId, instructions, contexts } = wanted;
  const before = requireUnarchived(await requireFlag(tx, lookups, wanted));
  const segments = await lookups.listSegments(tx, organizationId, before.projectId);
  const scope = ruleScope(segments);
  const instructed = followInstructions(before, instructions, scope);
  const request = { lookups, newId, before, ...instructed };
  const after = await mergeInput(tx, request);
  await checkReferences(tx, request, after);
  const dependents = await dependentsIn(tx, before);
  const keys = new Set([...dependents, ...after.prerequisites.map((one) => one.flag_key)]);
  const others = await withPrerequisites(tx, before, keys);
  const rulesetOf = (flag: FlagState) => {
    const flags = [flag, ...others].map(toRow);
    return compileRuleset({ version: 0, environmentId, flags, segments }, '');
  };
  const comparison = {
    flagKey: before.key,
    dependents,
    before: rulesetOf(before),
    after: rulesetOf(after),
  };
  const warnings = instructed.input.targeting_rules === undefined ? [] : ruleWarnings(after, scope);
  if (contexts !== 'recent') return { comparison, warnings, contexts };
  const recorded = await recentContexts(tx, environmentId);
  if (recorded === undefined) {
    const details = { environment_id: environmentId, setting: 'record_contexts' };
    throw new ApiError('CONTEXTS_NOT_RECORDED', { details });
  }
  return { comparison, warnings, contexts: recorded };
}

/**
 * The contexts to evaluate. Contexts of the request are all evaluated; LIMIT_EXCEEDED is thrown when matching patterns
 * would take too much work. Contexts of a sample that exceed the limit are left out instead.
 */
function takeContexts(comparison: Comparison, contexts: readonly Context[], isSample: boolean) {
  const measure = createMeasure(comparison);
  const taken: Context[] = [];
  let work = 0;
  for (const [index, context] of contexts.entries()) {
    const measured = measure(context, work);
    if (isSample && typeof measured !== 'number') continue;
    work = requireWork(measured, `contexts.${index}`);
    taken.push(context);
  }
  return { taken, work };
}

/**
 * The attributes that the changed flag and its segments use but no context has. `user_key` counts as absent, because
 * recorded user keys are pseudonyms.
 */
function unrecordedAttributes(
  { after, flagKey }: Pick<Comparison, 'after' | 'flagKey'>,
  contexts: readonly Context[],
): readonly string[] {
  const flags = after.flags.filter(({ key }) => key === flagKey);
  const named = segmentKeysOf(flags);
  const segments: Ruleset['segments'] = after.segments.filter(({ key }) => named.has(key));
  const isRecorded = (name: string) =>
    contexts.some(({ attributes = {} }) => Object.hasOwn(attributes, name)) && name !== 'user_key';
  return [...referencedAttributes({ flags, segments })].filter((name) => !isRecorded(name)).sort();
}

/** Keys of the flags in the environment that depend on this one, directly or through others. */
async function dependentsIn(
  tx: Tx,
  { key, projectId, environmentId }: FlagState,
): Promise<readonly string[]> {
  const configs = await listConfigsWithPrerequisites(tx, projectId, environmentId);
  const found = new Set([key]);
  // Chains of prerequisites are short, so a few rounds find all dependents.
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { flagKey, prerequisites } of configs) {
      if (prerequisites.some((one) => found.has(one.flag_key))) found.add(flagKey);
    }
  }
  found.delete(key);
  return [...found].sort();
}

/** The wanted flags with all their prerequisites, but without `flag` itself. */
async function withPrerequisites(
  tx: Tx,
  flag: FlagState,
  wanted: ReadonlySet<string>,
): Promise<readonly FlagState[]> {
  const found = new Map<string, FlagState>();
  let next = [...wanted, ...flag.prerequisites.map((one) => one.flag_key)];
  while (next.length > 0) {
    const states = await listStatesByKey(tx, flag, next);
    for (const state of states) found.set(state.key, state);
    next = states
      .flatMap((state) => state.prerequisites.map((one) => one.flag_key))
      .filter((key) => !found.has(key) && key !== flag.key);
  }
  found.delete(flag.key);
  return [...found.values()];
}

function toRow(state: FlagState): FlagRow {
  const { enabled, default_variation, rules_json, prerequisites_json } = configRow(state);
  return { ...flagRow(state), enabled, default_variation, rules_json, prerequisites_json };
}
