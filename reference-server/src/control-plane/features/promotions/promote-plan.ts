import type { Warning } from '../../../http/warnings.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Plan } from '../../write-gate/change.ts';
import type { FlagRecord, StoredRule, UpdateFlagInput } from '../flags/flag-schemas.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { planUpdate, type UpdateRequest } from '../flags/plans/update-plan.ts';
import type { Promotable, Strategy } from './promotion-schemas.ts';

/** Without `enabled`, because a promotion switches a flag on only if the request says so. */
const PROMOTED_BY_DEFAULT: readonly Promotable[] = ['targeting_rules', 'default_variation', 'prerequisites'];

/** The parts to promote, and the strategy. */
export interface Promotion {
  /** Default: all parts except `enabled`. */
  readonly include?: readonly Promotable[] | undefined;
  /** Default `replace`. */
  readonly strategy?: Strategy | undefined;
}

export interface PromoteRequest extends Pick<UpdateRequest, 'lookups' | 'newId' | 'graph' | 'at'> {
  readonly source: FlagState;
  readonly target: FlagState;
  readonly promotion: Promotion;
  /** Keys of the flags that are off in the target environment. */
  readonly disabledKeys: ReadonlySet<string>;
}

export type PlanPromote = typeof planPromote;

/** Copies the configuration of a flag from one environment to another. */
export async function planPromote(tx: Tx, request: PromoteRequest): Promise<Plan<FlagRecord>> {
  const { source, target, promotion, disabledKeys, ...rest } = request;
  const wanted = promotedInput(source, target, promotion);
  const plan = await planUpdate(tx, { ...rest, before: target, ...wanted });
  const warnings = [
    ...warnOfDisabledPrerequisites(target, wanted.input, disabledKeys),
    ...warnOfSmallerRollouts(target, wanted.input),
  ];
  return { ...plan, warnings: [...warnings, ...(plan.warnings ?? [])] };
}

function promotedInput(
  source: FlagState,
  target: FlagState,
  { include = PROMOTED_BY_DEFAULT, strategy = 'replace' }: Promotion,
): Pick<UpdateRequest, 'input' | 'enabled' | 'knownRuleIds'> {
  const has = (part: Promotable) => include.includes(part);
  const rules = strategy === 'replace' ? source.rules : mergeRules(source.rules, target.rules);
  const input: UpdateFlagInput = {
    ...(has('targeting_rules') && { targeting_rules: [...rules] }),
    ...(has('default_variation') && { default_variation: source.defaultVariation }),
    ...(has('prerequisites') && { prerequisites: [...source.prerequisites] }),
  };
  return {
    input,
    ...(has('enabled') && { enabled: source.enabled }),
    // A rule keeps its id in every environment, so that environments can be compared rule by rule.
    knownRuleIds: source.rules.map((rule) => rule.id),
  };
}

function mergeRules(source: readonly StoredRule[], target: readonly StoredRule[]): readonly StoredRule[] {
  const ids = new Set(source.map((rule) => rule.id));
  return [...source, ...target.filter((rule) => !ids.has(rule.id))];
}

function warnOfDisabledPrerequisites(
  { key, environmentId }: FlagState,
  { prerequisites = [] }: UpdateFlagInput,
  disabledKeys: ReadonlySet<string>,
): readonly Warning[] {
  return prerequisites.flatMap(({ flag_key, variation }, index): Warning[] => {
    if (!disabledKeys.has(flag_key)) return [];
    return [
      {
        code: 'prerequisite-off',
        field: `prerequisites.${index}`,
        message: `${key} needs ${flag_key}=${variation}, but ${flag_key} is off in the target environment.`,
        remedy: `Switch ${flag_key} on there. Until then ${key} serves its default variation.`,
        details: { flag_key: key, environment_id: environmentId, prerequisite: flag_key },
      },
    ];
  });
}

function warnOfSmallerRollouts(
  { key, environmentId, rules: before }: FlagState,
  { targeting_rules: rules = [] }: UpdateFlagInput,
): readonly Warning[] {
  const shareBefore = new Map(before.map((rule) => [rule.id, firstShare(rule)]));
  return rules.flatMap((rule, index): Warning[] => {
    const had = rule.id === undefined ? undefined : shareBefore.get(rule.id);
    const gets = firstShare(rule);
    if (had === undefined || gets === undefined || gets >= had) return [];
    return [
      {
        code: 'rollout-shrinks',
        field: `targeting_rules.${index}.percentage_rollout`,
        message: `Rule ${index + 1} of ${key} reaches fewer users than before: some lose their variation.`,
        remedy: 'Raise the percentage in the source first, unless this is intended.',
        details: { flag_key: key, environment_id: environmentId, rule_id: rule.id },
      },
    ];
  });
}

/** The percentage of the first entry of a rollout. */
function firstShare({ percentage_rollout: rollout }: Pick<StoredRule, 'percentage_rollout'> | RuleOf) {
  return rollout?.[0]?.percentage;
}

type RuleOf = NonNullable<UpdateFlagInput['targeting_rules']>[number];
