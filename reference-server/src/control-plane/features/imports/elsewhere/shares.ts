import type { DocumentConfig } from '../document.ts';

type Rollout = NonNullable<NonNullable<DocumentConfig['targeting_rules']>[number]['percentage_rollout']>;

/** A part of the users, between 0 and 1, and the variation that they get. */
export interface Share {
  readonly variation: string;
  readonly part: number;
}

export interface WrittenShares {
  readonly rollout: Rollout;
  readonly isRounded: boolean;
}

/**
 * Shares as whole percentages. No variation but the default one gets more than its share: fractions are rounded down,
 * and what is left over gets the default variation.
 */
export function writeShares(shares: readonly Share[], defaultVariation: string): WrittenShares {
  const parts = new Map<string, number>();
  let left = 1;
  for (const { variation, part } of shares) {
    // Beyond the whole there are no users.
    const taken = Math.min(part, left);
    left -= taken;
    parts.set(variation, (parts.get(variation) ?? 0) + taken);
  }
  const percent = (part: number): number => Math.floor(part * 100 + 1e-6);
  const rollout: Rollout = [];
  let isRounded = false;
  for (const [variation, part] of parts) {
    if (variation === defaultVariation) continue;
    const percentage = percent(part);
    if (Math.abs(percentage - part * 100) > 1e-6) isRounded = true;
    rollout.push({ variation, percentage });
  }
  const given = rollout.reduce((sum, { percentage }) => sum + percentage, 0);
  // Written out, so that the rollout reads as a whole.
  if (given < 100) rollout.push({ variation: defaultVariation, percentage: 100 - given });
  return { rollout, isRounded };
}
