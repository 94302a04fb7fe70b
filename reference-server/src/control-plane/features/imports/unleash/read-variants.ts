import { asFields, asList, asNumber, asObjects, asText, type Fields, isScalar } from '../elsewhere/fields.ts';
import { variationKeys } from '../elsewhere/keys.ts';
import type { Share } from '../elsewhere/shares.ts';
import { booleanVariations, nameOf, type WrittenVariations } from '../elsewhere/variations.ts';

/** A flag's variations, and which of them a variant of Unleash became. */
export interface UnleashVariations extends Pick<WrittenVariations, 'flag_type' | 'variations'> {
  readonly off: string;
  /** On, without a variant. */
  readonly on: string;
  readonly keyOf: (variant: Fields) => string;
}

/**
 * Without variants, a boolean flag. With variants, a flag whose values are what `getVariant` returns, so that code
 * reads the same fields as before.
 */
export function readVariants(lists: readonly (readonly Fields[])[]): UnleashVariations {
  const distinct = new Map<string, object>();
  for (const variant of lists.flat())
    distinct.set(JSON.stringify(variantValue(variant)), variantValue(variant));
  if (distinct.size === 0) {
    const { flag_type, variations } = booleanVariations();
    return { flag_type, variations, off: 'off', on: 'on', keyOf: () => 'on' };
  }
  const values = [
    { name: 'disabled', enabled: false, feature_enabled: false },
    { name: 'disabled', enabled: false, feature_enabled: true },
    ...distinct.values(),
  ];
  const keys = variationKeys(
    values.map((value, index) => (index === 0 ? 'disabled' : index === 1 ? 'enabled' : nameIn(value))),
  );
  const variations = values.map((value, index) => ({
    key: keys[index]!,
    name: nameOf(keys[index]) ?? `Variation ${index + 1}`,
    value,
  }));
  const byValue = new Map(values.map((value, index) => [JSON.stringify(value), keys[index]!]));
  return {
    ...{ flag_type: 'json' as const, variations, off: keys[0]!, on: keys[1]! },
    keyOf: (variant) => byValue.get(JSON.stringify(variantValue(variant)))!,
  };
}

const nameIn = (value: object): string => (value as { name: string }).name.slice(0, 90) || 'variant';

function variantValue(variant: Fields) {
  const payload = asFields(variant['payload']);
  return {
    name: asText(variant['name']) ?? '',
    enabled: true,
    feature_enabled: true,
    ...(payload !== undefined && {
      payload: { type: payload['type'] ?? 'string', value: payload['value'] ?? '' },
    }),
  };
}

/** The variants of a strategy or of a flag. */
export const variantsIn = (value: unknown): readonly Fields[] =>
  asObjects(value).map(([, variant]) => variant);

/** The shares of variants, each a part of `whole`. Without a positive weight there is no variant. */
export function sharesOf(
  variants: readonly Fields[],
  whole: number,
  variations: UnleashVariations,
): readonly Share[] {
  const weights = variants.map((variant) => Math.max(0, asNumber(variant['weight']) ?? 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0) return [{ variation: variations.on, part: whole }];
  return variants.map((variant, index) => ({
    variation: variations.keyOf(variant),
    part: (whole * weights[index]!) / total,
  }));
}

/** Which users get a variant whatever its weight. */
export function overridesOf(
  variant: Fields,
): readonly { readonly field: string; readonly values: readonly string[] }[] {
  return asObjects(variant['overrides']).map(([, override]) => ({
    field: asText(override['contextName']) ?? '',
    values: asList(override['values']).filter(isScalar).map(String),
  }));
}
