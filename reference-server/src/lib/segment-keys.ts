import type { Condition } from '@flagsvc/sdk-core';

interface Rule {
  readonly conditions: readonly Condition[];
}

/** Keys of the segments that a rule refers to. A number or boolean names the segment whose key is its text (EV-113). */
export function segmentKeysIn({ conditions }: Rule): readonly string[] {
  return conditions
    .filter(({ attribute }) => attribute === '$segment')
    .flatMap(({ value }) => value)
    .filter((name) => typeof name !== 'object')
    .map(String);
}

/** Keys of the segments that the rules of these flags refer to. */
export function segmentKeysOf(
  flags: readonly { readonly targeting_rules: readonly Rule[] }[],
): ReadonlySet<string> {
  return new Set(flags.flatMap((flag) => flag.targeting_rules.flatMap(segmentKeysIn)));
}
