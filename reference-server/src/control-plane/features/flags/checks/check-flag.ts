import { type FlagType, isOfFlagType } from '@flagsvc/sdk-core';
import { ApiError, limitExceeded } from '../../../../http/errors.ts';
import type { NewId } from '../../../../storage/ids.ts';
import { checkConditions, fault } from '../../targeting/check-conditions.ts';
import { createPatternAllowance } from '../../targeting/pattern-allowance.ts';
import type { RuleInput, StoredRule, VariationInput } from '../flag-schemas.ts';
import type { FlagConfig } from '../flag-store.ts';

/** What a variation's value is, by the type of its flag. */
const VALUES: Readonly<Record<FlagType, string>> = {
  boolean: 'true or false',
  string: 'a string',
  number: 'a finite number',
  json: 'an object or an array',
};

const VALUE_BYTES_MAX = 32 * 1024;
const FLAG_VALUES_BYTES_MAX = 256 * 1024;

/** Checks the variations of a flag against its type; returns them without unknown fields. */
export function checkVariations(
  flagType: FlagType,
  variations: readonly VariationInput[],
): readonly VariationInput[] {
  const isCountValid = flagType === 'boolean' ? variations.length === 2 : variations.length > 0;
  if (!isCountValid) {
    throw fault('VARIATION_COUNT_INVALID', 'variations', {
      flag_type: flagType,
      count: variations.length,
      expected: flagType === 'boolean' ? 'exactly 2' : 'at least 1',
    });
  }
  const keys = new Set<string>();
  let bytes = 0;
  for (const [index, { key, value }] of variations.entries()) {
    if (keys.has(key)) throw fault('VARIATION_KEY_DUPLICATE', `variations.${index}.key`, { key });
    keys.add(key);
    if (!isOfFlagType(flagType, value) || !hasFiniteNumbers(value)) {
      throw new ApiError('VARIATION_VALUE_TYPE_MISMATCH', {
        message: `The value of a variation of a ${flagType} flag must be ${VALUES[flagType]}.`,
        details: { field: `variations.${index}.value`, flag_type: flagType, key },
      });
    }
    const size = Buffer.byteLength(JSON.stringify(value));
    bytes += size;
    if (size > VALUE_BYTES_MAX)
      throw limitExceeded({
        field: `variations.${index}.value`,
        limit: 'variation_value',
        maximum: VALUE_BYTES_MAX,
      });
  }
  if (bytes > FLAG_VALUES_BYTES_MAX)
    throw limitExceeded({ field: 'variations', limit: 'variation_values', maximum: FLAG_VALUES_BYTES_MAX });
  return variations.map(({ key, name, value }) => ({ key, name, value }));
}

/** `1e999` is JSON and is read as infinity, which is written as null. */
function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}

export function checkDefaultVariation(key: string, variationKeys: ReadonlySet<string>): void {
  if (!variationKeys.has(key)) {
    throw fault('DEFAULT_VARIATION_UNKNOWN', 'default_variation', { variation: key });
  }
}

/** What rules may refer to. */
export interface RuleScope {
  readonly variationKeys: ReadonlySet<string>;
  readonly segmentKeys: ReadonlySet<string>;
  /** Ids of the rules as they were; a rule sent with one of them keeps it. */
  readonly knownIds: ReadonlySet<string>;
  /** The rules as they are in the environment. */
  readonly before: readonly StoredRule[];
  readonly newId: NewId;
}

/** Checks rules and returns them as they are stored: each with an id, sorted by priority, ties in listed order. */
export function checkRules(rules: readonly RuleInput[], scope: RuleScope): readonly StoredRule[] {
  const used = new Set<string>();
  const patterns = createPatternAllowance(scope.before.flatMap(({ conditions }) => conditions));
  const checked = rules.map((rule, index) => {
    const field = `targeting_rules.${index}`;
    const keepsId = rule.id !== undefined && scope.knownIds.has(rule.id) && !used.has(rule.id);
    const id = keepsId ? rule.id! : scope.newId('rule');
    used.add(id);
    return {
      id,
      priority: rule.priority,
      name: rule.name ?? '',
      conditions: [
        ...checkConditions(rule.conditions, {
          field: `${field}.conditions`,
          segmentKeys: scope.segmentKeys,
          patterns,
        }),
      ] as StoredRule['conditions'],
      ...checkTarget(rule, field, scope.variationKeys),
      ...(rule.bucketing != null && { bucketing: rule.bucketing }),
    };
  });
  return checked.sort((left, right) => left.priority - right.priority);
}

/** "A rule has either `variation` or `percentage_rollout`." */
function checkTarget(rule: RuleInput, field: string, variationKeys: ReadonlySet<string>) {
  const { variation, percentage_rollout: rollout } = rule;
  if ((variation != null) === (rollout != null) || rollout?.length === 0) {
    throw fault('RULE_TARGET_INVALID', field, {});
  }
  const requireVariation = (key: string, at: string): void => {
    if (!variationKeys.has(key)) throw fault('RULE_VARIATION_UNKNOWN', at, { variation: key });
  };
  if (variation != null) {
    requireVariation(variation, `${field}.variation`);
    return { variation };
  }
  const sum = rollout!.reduce((total, entry) => total + entry.percentage, 0);
  if (sum > 100) throw fault('RULE_ROLLOUT_EXCEEDS_100', `${field}.percentage_rollout`, { sum });
  for (const [index, entry] of rollout!.entries()) {
    requireVariation(entry.variation, `${field}.percentage_rollout.${index}.variation`);
  }
  return {
    percentage_rollout: rollout!.map((entry) => ({
      variation: entry.variation,
      percentage: entry.percentage,
    })),
  };
}

/** Where a variation is served or waited for. */
export interface VariationUse {
  readonly variation: string;
  readonly environment_id: string;
  readonly used_by: 'default_variation' | 'rule' | 'prerequisite';
  readonly rule_id?: string;
  readonly flag_key?: string;
}

/** Throws VARIATION_IN_USE when a variation that goes is still served anywhere, or another flag waits for it. */
export function checkRemovedVariations(
  removed: ReadonlySet<string>,
  flagKey: string,
  ownConfigs: readonly Pick<FlagConfig, 'environmentId' | 'defaultVariation' | 'rules'>[],
  dependants: readonly Pick<FlagConfig, 'environmentId' | 'flagKey' | 'prerequisites'>[],
): void {
  const uses: VariationUse[] = [];
  for (const { environmentId: environment_id, defaultVariation, rules } of ownConfigs) {
    if (removed.has(defaultVariation)) {
      uses.push({ variation: defaultVariation, environment_id, used_by: 'default_variation' });
    }
    for (const rule of rules) {
      const served = rule.percentage_rollout?.map((entry) => entry.variation) ?? [rule.variation ?? ''];
      for (const variation of new Set(served)) {
        if (removed.has(variation)) {
          uses.push({ variation, environment_id, used_by: 'rule', rule_id: rule.id });
        }
      }
    }
  }
  for (const { environmentId: environment_id, flagKey: dependant, prerequisites } of dependants) {
    for (const { flag_key, variation } of prerequisites) {
      if (flag_key === flagKey && removed.has(variation)) {
        uses.push({ variation, environment_id, used_by: 'prerequisite', flag_key: dependant });
      }
    }
  }
  if (uses.length > 0) throw fault('VARIATION_IN_USE', 'variations', { uses });
}
