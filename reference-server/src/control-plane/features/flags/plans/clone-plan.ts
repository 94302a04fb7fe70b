import { invalid } from '../../../../http/errors.ts';
import type { Warning } from '../../../../http/warnings.ts';
import { segmentKeysIn } from '../../../../lib/segment-keys.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { Plan } from '../../../write-gate/change.ts';
import { mapPlan } from '../../../write-gate/map-plan.ts';
import { createPatternAllowance } from '../../targeting/pattern-allowance.ts';
import { warnOfRules } from '../checks/rule-warnings.ts';
import type { CloneInput, CloneResult } from '../flag-service.ts';
import type { FlagState } from '../flag-state.ts';
import { findVariationKeys, listStates } from '../flag-store.ts';
import { fieldsEverywhere } from '../project-wide-fields.ts';
import { type CreateRequest, checkSettings, ownerOf, planInsert, requireFreeKey } from './create-plan.ts';

export interface CloneRequest extends Omit<CreateRequest, 'environmentId' | 'input' | 'more'> {
  readonly source: FlagState;
  readonly input: CloneInput;
}

/**
 * Plans a copy, switched off everywhere: copying must not switch on. What its rules and prerequisites refer to is
 * looked for by key; what the target does not have is left out and named.
 */
export async function planClone(
  tx: Tx,
  { ports, newId, actor, source, input, at }: CloneRequest,
): Promise<Plan<CloneResult>> {
  const { organizationId } = actor;
  const projectId = input.target_project_id ?? source.projectId;
  const settings = await ports.projectSettings(tx, organizationId, projectId);
  await requireFreeKey(tx, projectId, input.key, at);
  const states = await listStates(tx, organizationId, source.id);
  requireOwn(input.environment_ids, states);

  const sourceKeys = await ports.environmentKeys(tx, organizationId, source.projectId);
  const targetKeys = await ports.environmentKeys(tx, organizationId, projectId);
  const copied = states.filter((state) => input.environment_ids?.includes(state.environmentId) ?? true);
  const byKey = new Map(copied.map((state) => [sourceKeys.get(state.environmentId)!, state]));
  const scope = await scopeOf(tx, { ports, projectId, copied });
  const { createdAt: _, ...content } = source;
  const base: FlagState = {
    ...content,
    id: newId('flg'),
    projectId,
    key: input.key,
    name: input.name ?? source.name,
    status: 'active',
    ownerId: ownerOf(actor),
    archivedAt: null,
    createdAt: at,
    staleSince: null,
    staleReasons: [],
    staleSnoozedUntil: null,
    flagRevision: 1,
    flagUpdatedAt: at,
    enabled: false,
    rules: [],
    prerequisites: [],
    lastEvaluatedAt: null,
    configRevision: 0,
    configUpdatedAt: at,
  };
  checkSettings(base, settings);
  const copies = [...targetKeys].map(([environmentId, key]): FlagState => {
    const from = byKey.get(key);
    if (from === undefined) return { ...base, environmentId };
    const { defaultVariation } = from;
    const rules = from.rules.filter((rule) =>
      segmentKeysIn(rule).every((segment) => scope.segments.has(segment)),
    );
    requireFewStates(rules);
    return {
      ...base,
      environmentId,
      defaultVariation,
      rules: rules.map((rule) => ({ ...rule, id: newId('rule') })),
      prerequisites: from.prerequisites.filter(scope.holds),
    };
  });
  const shown = copies.find((copy) => copy.environmentId === source.environmentId) ?? copies[0] ?? base;
  const left_out = {
    segments: missing(
      copied.flatMap((state) => state.rules.flatMap(segmentKeysIn)),
      scope.segments,
    ),
    prerequisites: [
      ...new Set(
        copied.flatMap((state) =>
          state.prerequisites.filter((one) => !scope.holds(one)).map((one) => one.flag_key),
        ),
      ),
    ],
    environments: missing([...byKey.keys()], new Set(targetKeys.values())),
  };
  const plan = planInsert(shown, copies);
  const warnings: Warning[] = [];
  for (const copy of copies) warnings.push(...(await warnOfRules(tx, ports, copy)));
  // A copy may come with rules in every environment, not only in the one that asked for it.
  const after = { ...plan.after, ...fieldsEverywhere(copies, targetKeys) };
  return mapPlan({ ...plan, after, warnings }, (flag) => ({ flag, left_out }));
}

/** Throws REGEX_INVALID for what stands from a version without this bound: a copy is new. */
function requireFewStates(rules: FlagState['rules']): void {
  const patterns = createPatternAllowance();
  for (const { operator, value } of rules.flatMap(({ conditions }) => conditions))
    if (operator === 'matches_regex') patterns.take(String(value), 'targeting_rules');
}

function requireOwn(wanted: readonly string[] | undefined, states: readonly FlagState[]): void {
  const own = new Set(states.map((state) => state.environmentId));
  if (wanted?.every((id) => own.has(id)) ?? true) return;
  throw invalid({
    field: 'environment_ids',
    location: 'body',
    code: 'unknown',
    message: "must be environments of the flag's project",
  });
}

/** What the copy may refer to in its project. */
async function scopeOf(
  tx: Tx,
  of: { ports: CreateRequest['ports']; projectId: string; copied: readonly FlagState[] },
) {
  const segments = new Set(await of.ports.listSegmentKeys(tx, of.projectId));
  const wanted = of.copied.flatMap((state) => state.prerequisites.map((one) => one.flag_key));
  const variations = await findVariationKeys(tx, of.projectId, [...new Set(wanted)]);
  const holds = ({ flag_key, variation }: FlagState['prerequisites'][number]) =>
    variations.get(flag_key)?.includes(variation) ?? false;
  return { segments, holds };
}

function missing(wanted: readonly string[], known: ReadonlySet<string>): readonly string[] {
  return [...new Set(wanted.filter((one) => !known.has(one)))];
}
