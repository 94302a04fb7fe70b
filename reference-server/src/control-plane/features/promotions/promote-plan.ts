import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import type { Warning } from '../../../http/warnings.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Plan } from '../../write-gate/change.ts';
import type { FlagRecord, StoredRule, UpdateFlagInput } from '../flags/flag-schemas.ts';
import type { FlagState } from '../flags/flag-state.ts';
import { planUpdate, type UpdateRequest } from '../flags/plans/update-plan.ts';

/** The parts of a configuration that can be carried from one environment to another. */
const PROMOTABLE = ['enabled', 'targeting_rules', 'default_variation', 'prerequisites'] as const;
export type Promotable = (typeof PROMOTABLE)[number];

/** `enabled` only when it is named: copying must not switch on. */
const PROMOTED_BY_DEFAULT: readonly Promotable[] = ['targeting_rules', 'default_variation', 'prerequisites'];

const STRATEGIES = ['replace', 'merge_rules'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** How a promotion is asked for. */
export const promotionFields = {
  include: Type.Optional(
    Type.Array(Type.Enum([...PROMOTABLE]), {
      minItems: 1,
      maxItems: PROMOTABLE.length,
      description: 'Default all but `enabled`: copying must not switch on.',
    }),
  ),
  strategy: Type.Optional(
    Type.Enum([...STRATEGIES], {
      description: 'Default `replace`; `merge_rules` keeps the rules that only the target has.',
    }),
  ),
};

export interface Promotion {
  readonly include?: readonly Promotable[] | undefined;
  readonly strategy?: Strategy | undefined;
}

/** What the target would be given of the source. */
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

export interface PromoteRequest extends Pick<UpdateRequest, 'ports' | 'newId' | 'graph' | 'at'> {
  readonly source: FlagState;
  readonly target: FlagState;
  readonly promotion: Promotion;
  /** Keys of the flags that are switched off in the target's environment. */
  readonly switchedOff: ReadonlySet<string>;
}

export async function planPromote(tx: Tx, request: PromoteRequest): Promise<Plan<FlagRecord>> {
  const { source, target, promotion, switchedOff, ...rest } = request;
  const wanted = promotedInput(source, target, promotion);
  const plan = await planUpdate(tx, { ...rest, before: target, ...wanted });
  const about = { flag_key: target.key, environment_id: target.environmentId };
  const rules = wanted.input.targeting_rules ?? target.rules;
  const off = (wanted.input.prerequisites ?? []).flatMap(({ flag_key, variation }, index): Warning[] =>
    switchedOff.has(flag_key)
      ? [
          {
            code: 'prerequisite-off',
            field: `prerequisites.${index}`,
            message: `${target.key} waits for ${flag_key}=${variation}, and ${flag_key} is switched off there.`,
            remedy: `Switch ${flag_key} on in the target environment; until then ${target.key} serves its default.`,
            details: { ...about, prerequisite: flag_key },
          },
        ]
      : [],
  );
  const shrunk = shrinking(target.rules, rules).map((id): Warning => {
    const index = rules.findIndex((rule) => rule.id === id);
    return {
      code: 'rollout-shrinks',
      field: `targeting_rules.${index}.percentage_rollout`,
      message: `Rule ${index + 1} of ${target.key} reaches fewer users than before: some lose what they had.`,
      remedy: 'Raise the percentage first, or promote when losing it is meant.',
      details: { ...about, rule_id: id },
    };
  });
  return { ...plan, warnings: [...off, ...shrunk, ...(plan.warnings ?? [])] };
}

/** Ids of the rules whose first entry reaches fewer than before: people lose what they had. */
function shrinking(
  before: readonly StoredRule[],
  after: readonly NonNullable<UpdateFlagInput['targeting_rules']>[number][],
): readonly string[] {
  const share = new Map(before.map((rule) => [rule.id, rule.percentage_rollout?.[0]?.percentage]));
  return after.flatMap(({ id, percentage_rollout: rollout }) => {
    const had = id === undefined ? undefined : share.get(id);
    const gets = rollout?.[0]?.percentage;
    return had !== undefined && gets !== undefined && gets < had ? [id!] : [];
  });
}

/** What of two configurations differs, rules told apart by everything but their ids. */
export function configDifference(left: FlagState, right: FlagState) {
  const parts = (state: FlagState) => ({
    enabled: state.enabled,
    default_variation: state.defaultVariation,
    targeting_rules: state.rules.map(({ id: _, ...rule }) => rule),
    prerequisites: state.prerequisites,
  });
  const from = parts(left);
  const to = parts(right);
  return Object.fromEntries(
    PROMOTABLE.filter((part) => !isDeepStrictEqual(from[part], to[part])).map((part) => [
      part,
      { from: from[part], to: to[part] },
    ]),
  );
}
