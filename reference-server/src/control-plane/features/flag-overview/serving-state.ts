import type { StoredRule } from '../flags/flag-schemas.ts';
import { rolloutOf } from '../flags/rollout-shares.ts';

/** What a flag serves in an environment, in one word. */
export const SERVING_STATES = ['off', 'on', 'share', 'rules'] as const;
export type ServingState = (typeof SERVING_STATES)[number];

/** What a flag serves in an environment, as a list shows it. */
export interface Serving {
  readonly state: ServingState;
  /** The variation for everyone, or the one with the largest share; null if rules decide. */
  readonly variation: string | null;
  /** The largest share in percent; only for `share`. */
  readonly percentage: number | null;
  /** The shares of a rollout to everyone, or to those whose prerequisites hold, largest first. */
  readonly rollout: readonly { readonly variation: string; readonly percentage: number }[];
}

export interface ServingConfig {
  readonly enabled: boolean;
  readonly defaultVariation: string;
  /** Sorted by priority. */
  readonly rules: readonly StoredRule[];
  readonly hasPrerequisites: boolean;
}

/**
 * `off`: switched off, so everyone gets the default variation. `on`: everyone gets one variation. `share`: the first
 * rule applies to everyone and divides them. `rules`: the variation depends on conditions or prerequisites. The column
 * `serving_kind` has the same rules in SQL.
 */
export function summarizeServing({
  enabled,
  defaultVariation,
  rules,
  hasPrerequisites,
}: ServingConfig): Serving {
  const everyone = (state: 'off' | 'on', variation: string): Serving => ({
    state,
    variation,
    percentage: null,
    rollout: [],
  });
  if (!enabled) return everyone('off', defaultVariation);
  const first = rules[0];
  if (first === undefined) return everyone('on', defaultVariation);
  const byRules = { state: 'rules', variation: null, percentage: null } as const;
  if (first.conditions.length > 0) return { ...byRules, rollout: [] };
  const { shares, isForAll } = rolloutOf(first);
  const rollout = shares
    .map(({ variation, percentage }) => ({ variation, percentage: wholePercent(percentage) }))
    .sort((a, b) => b.percentage - a.percentage);
  const largest = rollout[0];
  const variation = first.variation ?? defaultVariation;
  if (hasPrerequisites) return { ...byRules, rollout: largest ? rollout : [{ variation, percentage: 100 }] };
  if (largest === undefined) return everyone('on', variation);
  if (isForAll && largest.percentage === 100) return everyone('on', largest.variation);
  return { state: 'share', variation: largest.variation, percentage: largest.percentage, rollout };
}

/** A share in whole percent. Rounding makes no share nothing, and none everything. */
function wholePercent(share: number): number {
  if (share <= 0 || share >= 100) return Math.min(100, Math.max(0, share));
  return Math.min(99, Math.max(1, Math.round(share)));
}
