import type { Flag } from '../api/types.ts';
import type { Condition } from '../app/conditions/condition.ts';

/** What a rule is called and asks, of the API or of an edit. */
export interface RuleFacts {
  readonly id: string;
  readonly name: string;
  readonly conditions: readonly Condition[];
}

/** How the parts of a flag are called on this page. */
export interface Names {
  /** The name of another flag. */
  flag(key: string): string;
  variation(key: string): string;
  /** The colour of a variation, from 1. */
  series(key: string): number;
  rule(id: string): string;
  segment(key: string): string;
}

export function createNames(from: {
  readonly flag: Pick<Flag, 'variations'>;
  readonly rules: readonly RuleFacts[];
  readonly segments: readonly { readonly key: string; readonly name: string }[];
  readonly nameOf: (key: string) => string;
}): Names {
  const { flag, rules, segments, nameOf } = from;
  return {
    flag: nameOf,
    variation: (key) => flag.variations.find((one) => one.key === key)?.name || key,
    series: (key) =>
      Math.max(
        0,
        flag.variations.findIndex((one) => one.key === key),
      ) + 1,
    rule: (id) => rules.find((one) => one.id === id)?.name ?? '',
    segment: (key) => segments.find((one) => one.key === key)?.name || key,
  };
}
