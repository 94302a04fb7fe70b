import { type FlagType, isOfFlagType } from '@flagsvc/sdk-core';
import { ApiError, fieldFault, limitExceeded } from '../../../../http/errors.ts';
import type { VariationInput } from '../flag-schemas.ts';
import type { FlagConfig } from '../flag-store.ts';

/** What the value of a variation must be, by the type of its flag. */
const EXPECTED_VALUES: Readonly<Record<FlagType, string>> = {
  boolean: 'true or false',
  string: 'a string',
  number: 'a finite number',
  json: 'an object or an array',
};

const VALUE_BYTES_MAX = 32 * 1024;
const FLAG_VALUES_BYTES_MAX = 256 * 1024;

/** Checks the variations of a flag against its type and returns them without unknown fields. */
export function checkVariations(
  flagType: FlagType,
  variations: readonly VariationInput[],
): readonly VariationInput[] {
  const isCountValid = flagType === 'boolean' ? variations.length === 2 : variations.length > 0;
  if (!isCountValid) {
    throw fieldFault('VARIATION_COUNT_INVALID', 'variations', {
      flag_type: flagType,
      count: variations.length,
      expected: flagType === 'boolean' ? 'exactly 2' : 'at least 1',
    });
  }
  const keys = new Set<string>();
  let bytes = 0;
  for (const [index, { key, value }] of variations.entries()) {
    if (keys.has(key)) throw fieldFault('VARIATION_KEY_DUPLICATE', `variations.${index}.key`, { key });
    keys.add(key);
    if (!isOfFlagType(flagType, value) || !hasFiniteNumbers(value)) {
      throw new ApiError('VARIATION_VALUE_TYPE_MISMATCH', {
        message: `The value of a variation of a ${flagType} flag must be ${EXPECTED_VALUES[flagType]}.`,
        details: { field: `variations.${index}.value`, flag_type: flagType, key },
      });
    }
    const size = Buffer.byteLength(JSON.stringify(value));
    bytes += size;
    if (size > VALUE_BYTES_MAX) {
      throw limitExceeded({
        field: `variations.${index}.value`,
        limit: 'variation_value',
        maximum: VALUE_BYTES_MAX,
      });
    }
  }
  if (bytes > FLAG_VALUES_BYTES_MAX) {
    throw limitExceeded({ field: 'variations', limit: 'variation_values', maximum: FLAG_VALUES_BYTES_MAX });
  }
  return variations.map(({ key, name, description, value }) => ({
    key,
    name,
    ...(description && { description }),
    value,
  }));
}

/** `1e999` is valid JSON and parses to Infinity, which `JSON.stringify` writes as null. */
function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}

/** Throws DEFAULT_VARIATION_UNKNOWN. */
export function checkDefaultVariation(key: string, variationKeys: ReadonlySet<string>): void {
  if (variationKeys.has(key)) return;
  throw fieldFault('DEFAULT_VARIATION_UNKNOWN', 'default_variation', { variation: key });
}

/** Where a removed variation is still used. */
interface VariationUse {
  readonly variation: string;
  readonly environment_id: string;
  readonly used_by: 'default_variation' | 'rule' | 'prerequisite';
  readonly rule_id?: string;
  /** The flag that has the variation as a prerequisite. */
  readonly flag_key?: string;
}

/** Throws VARIATION_IN_USE when a removed variation is still served, or when another flag has it as a prerequisite. */
export function checkRemovedVariations(
  removed: ReadonlySet<string>,
  {
    flagKey,
    ownConfigs,
    dependents,
  }: {
    readonly flagKey: string;
    readonly ownConfigs: readonly Pick<FlagConfig, 'environmentId' | 'defaultVariation' | 'rules'>[];
    readonly dependents: readonly Pick<FlagConfig, 'environmentId' | 'flagKey' | 'prerequisites'>[];
  },
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
  for (const { environmentId: environment_id, flagKey: dependent, prerequisites } of dependents) {
    for (const { flag_key, variation } of prerequisites) {
      if (flag_key === flagKey && removed.has(variation)) {
        uses.push({ variation, environment_id, used_by: 'prerequisite', flag_key: dependent });
      }
    }
  }
  if (uses.length > 0) throw fieldFault('VARIATION_IN_USE', 'variations', { uses });
}
