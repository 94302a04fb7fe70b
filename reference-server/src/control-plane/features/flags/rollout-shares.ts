import type { RolloutEntry } from '@flagsvc/sdk-core';
import { unitShares } from '@flagsvc/sdk-core/unit-shares';
import type { StoredRule } from './flag-schemas.ts';

/** How a rollout divides users, or the units of an attribute. */
export interface RolloutShares {
  /** In revision 3, the percentages count the gates too. */
  readonly shares: readonly RolloutEntry[];
  /** False if some get the default: they are beyond the shares, outside a gate, or may lack the attribute. */
  readonly isForAll: boolean;
}

/** What a rule's rollout serves. `percentage_rollout` alone does not tell for revision 3, which has gates. */
export function rolloutOf(rule: Pick<StoredRule, 'percentage_rollout' | 'bucketing'>): RolloutShares {
  const { percentage_rollout: entries = [], bucketing } = rule;
  if (typeof bucketing !== 'object') {
    const sum = entries.reduce((total, { percentage }) => total + percentage, 0);
    return { shares: entries, isForAll: sum >= 100 };
  }
  const shares = [...unitShares(bucketing)].map(([variation, percentage]) => ({ variation, percentage }));
  const sum = shares.reduce((total, { percentage }) => total + percentage, 0);
  return { shares, isForAll: bucketing.by === 'user_key' && sum > 100 - 1e-9 };
}
