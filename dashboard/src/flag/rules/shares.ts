import type { UnitBucketing } from '@flagsvc/sdk-core';
import { unitShares } from '@flagsvc/sdk-core/unit-shares';
import type { Share } from './config.ts';

/** Where one share ends and the next begins: 60, 25, 15 has 60 and 85. */
export function boundariesOf(shares: readonly Share[]): number[] {
  let sum = 0;
  return shares.slice(0, -1).map(({ percentage }) => (sum += percentage));
}

/** The shares with other boundaries, which are in ascending order. The sum stays 100. */
export function withBoundaries(shares: readonly Share[], boundaries: readonly number[]): readonly Share[] {
  const edges = [0, ...boundaries, 100];
  return shares.map((share, index) => ({ ...share, percentage: edges[index + 1]! - edges[index]! }));
}

/**
 * The shares with one set to `percentage`. The others make room, beginning with the one after it, so that the sum stays
 * 100.
 */
export function withShare(shares: readonly Share[], at: number, percentage: number): readonly Share[] {
  const wanted = shares.length === 1 ? 100 : Math.round(Math.max(0, Math.min(100, percentage)));
  const result = shares.map((share, index) => (index === at ? { ...share, percentage: wanted } : share));
  let rest = shares[at]!.percentage - wanted;
  for (let step = 1; step < shares.length && rest !== 0; step++) {
    const index = (at + step) % shares.length;
    const other = result[index]!;
    const next = Math.max(0, other.percentage + rest);
    rest -= next - other.percentage;
    result[index] = { ...other, percentage: next };
  }
  return result;
}

/** Shares for a rule that served one variation: that one gets everything, the others can be drawn from it. */
export function splitOf(served: string, variations: readonly string[]): readonly Share[] {
  const others = variations.filter((key) => key !== served);
  return [served, ...others].map((variation, index) => ({ variation, percentage: index === 0 ? 100 : 0 }));
}

/** The shares with an entry for each variation, those without a share last. */
export function withEveryVariation(
  shares: readonly Share[],
  variations: readonly string[],
): readonly Share[] {
  const missing = variations.filter((key) => shares.every(({ variation }) => variation !== key));
  return [...shares, ...missing.map((variation) => ({ variation, percentage: 0 }))];
}

/** The shares without empty ones, as they are saved. */
export function withoutEmpty(shares: readonly Share[]): readonly Share[] {
  return shares.filter(({ percentage }) => percentage > 0);
}

/** The shares of a split by revision 3 of bucketing, gates included. The default serves what is missing to 100. */
export const unitSharesOf = (units: UnitBucketing): readonly Share[] =>
  [...unitShares(units)].map(([variation, percentage]) => ({ variation, percentage }));

/** How much of 100 each variation gets, over repeated entries. */
export function totals(shares: readonly Share[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { variation, percentage } of shares)
    sums.set(variation, (sums.get(variation) ?? 0) + percentage);
  return sums;
}
