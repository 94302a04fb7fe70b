import type { Context, Ruleset } from '@flagsvc/sdk-core';
import { heavyWork } from '../../../../data-plane/evaluate/heavy-work.ts';
import { requireWork } from '../../../../data-plane/evaluate/require-work.ts';
import { ApiError } from '../../../../http/errors.ts';
import type { Warning } from '../../../../http/warnings.ts';
import { segmentKeysOf } from '../../../../lib/segment-keys.ts';
import { compileRuleset, type FlagRow } from '../../../../publishing/compile.ts';
import { referencedAttributes } from '../../../../publishing/referenced-attributes.ts';
import type { Queryable, Tx } from '../../../../storage/database.ts';
import { readOneState } from '../../../../storage/transactions.ts';
import type { Actor } from '../../../access/actor.ts';
import { ruleScope, ruleWarnings } from '../checks/rule-warnings.ts';
import type { FlagAddress, FlagDeps } from '../flag-service.ts';
import { configRow, type FlagState, flagRow } from '../flag-state.ts';
import { listConfigsWithPrerequisites, listStatesByKey } from '../flag-store.ts';
import { followInstructions, type Instruction } from '../plans/instructions.ts';
import { checkReferences, mergeInput } from '../plans/update-plan.ts';
import { requireFlag, requireUnarchived } from '../require-flag.ts';
import { type Comparison, createMeasure, type Preview, previewChange } from './preview-change.ts';

export interface PreviewService {
  /**
   * What instructions would do to the contexts, given or recorded, and to the flags that wait for this one. Writes
   * nothing.
   */
  preview(
    actor: Actor,
    address: FlagAddress,
    instructions: readonly Instruction[],
    contexts: readonly Context[] | 'recent',
  ): Promise<Preview & { readonly warnings: readonly Warning[] }>;
}

export interface PreviewDeps extends FlagDeps {
  /** What was recorded of the environment; undefined when it records nothing. */
  readonly recentContexts: (db: Queryable, environmentId: string) => Promise<readonly Context[] | undefined>;
}

export function createPreviewService(deps: PreviewDeps): PreviewService {
  const { db, ports, recentContexts } = deps;
  return {
    async preview(actor, address, instructions, wanted) {
      const { comparison, warnings, contexts } = await readOneState(db, async (tx) => {
        const { organizationId } = actor;
        const before = requireUnarchived(await requireFlag(tx, ports, organizationId, address));
        const segments = await ports.listSegments(tx, organizationId, before.projectId);
        const scope = ruleScope(segments);
        const instructed = followInstructions(before, instructions, scope);
        const request = { ...deps, before, ...instructed, at: before.configUpdatedAt };
        const after = await mergeInput(tx, request);
        await checkReferences(tx, request, after);
        const dependents = await dependentsIn(tx, before);
        const keys = new Set([...dependents, ...after.prerequisites.map((one) => one.flag_key)]);
        const others = await closure(tx, before, keys);
        const rulesetOf = (flag: FlagState) => {
          const flags = [flag, ...others].map(toRow);
          const { environmentId } = address;
          return compileRuleset({ version: 0, environmentId, flags, segments }, '');
        };
        const comparison: Comparison = {
          flagKey: before.key,
          dependents,
          before: rulesetOf(before),
          after: rulesetOf(after),
        };
        const isRuled = instructed.input.targeting_rules !== undefined;
        const warnings = isRuled ? ruleWarnings(after, scope) : [];
        if (wanted !== 'recent') return { comparison, warnings, contexts: wanted };
        const contexts = await recentContexts(tx, address.environmentId);
        if (contexts === undefined) throw notRecorded(address);
        return { comparison, warnings, contexts };
      });
      const { taken, work } = takeContexts(comparison, contexts, wanted === 'recent');
      const preview = { ...(await heavyWork.run(work, previewChange(comparison, taken))), warnings };
      if (wanted !== 'recent') return preview;
      const { after, flagKey } = comparison;
      return { ...preview, unrecorded_attributes: unrecorded(after, flagKey, contexts) };
    },
  };
}

/**
 * The contexts that are evaluated. Of a sample as many as patterns may read in one request, without those of which one
 * flag would read too much; where the caller has chosen them, all: throws LIMIT_EXCEEDED where they are too much.
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

function notRecorded({ environmentId }: FlagAddress): ApiError {
  const details = { environment_id: environmentId, setting: 'record_contexts' };
  return new ApiError('CONTEXTS_NOT_RECORDED', { details });
}

/** What the flag and its segments ask about and no context has; user keys are pseudonyms, and so none has one. */
function unrecorded(ruleset: Ruleset, flagKey: string, contexts: readonly Context[]): readonly string[] {
  const flags = ruleset.flags.filter(({ key }) => key === flagKey);
  const named = segmentKeysOf(flags);
  const segments = ruleset.segments.filter(({ key }) => named.has(key));
  const isRecorded = (name: string) =>
    contexts.some(({ attributes = {} }) => Object.hasOwn(attributes, name)) && name !== 'user_key';
  return [...referencedAttributes({ flags, segments })].filter((name) => !isRecorded(name)).sort();
}

/** Keys of the flags that wait for this one in its environment, directly or through others. */
async function dependentsIn(
  tx: Tx,
  { key, projectId, environmentId }: FlagState,
): Promise<readonly string[]> {
  const configs = await listConfigsWithPrerequisites(tx, projectId, environmentId);
  const found = new Set([key]);
  // Chains are short, so a few rounds find them all.
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { flagKey, prerequisites } of configs) {
      if (prerequisites.some((one) => found.has(one.flag_key))) found.add(flagKey);
    }
  }
  found.delete(key);
  return [...found].sort();
}

/** The flags with those keys, and all that they wait for; without the flag itself. */
async function closure(tx: Tx, flag: FlagState, wanted: Set<string>): Promise<readonly FlagState[]> {
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
