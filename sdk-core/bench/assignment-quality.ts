/** Measures whether buckets are uniform, and whether the buckets of two salts are independent. */
import { hashOn } from '../src/evaluator/bucket.ts';
import { createSeededRandom } from '../src/testing/seeded-random.ts';

/** The bucket of a unit under a salt, as a fraction from 0 up to but excluding 1. */
export type Place = (salt: string, unit: string) => number;

/** How good an assignment is for one population. Random numbers give values near the expected ones. */
export interface Quality {
  /**
   * Mean number of units that share a unit's hash, itself included. They have one bucket under every salt, as the
   * specification's hash adds 33 times one character to the next. The other measures allow for this.
   */
  readonly sharing: number;
  /** Chi-square over 100 cells in standard deviations from its mean: expected 0, and 5 hardly ever. */
  readonly uniformity: number;
  /** Median and largest |phi| over all pairs of salts, each split in halves, times the root of the number of hashes. */
  readonly medianPhi: number;
  readonly maximumPhi: number;
}

const CELLS = 100;
/** 40 salts have 780 pairs. */
const SALTS = 40;

/** Populations of keys, each with `count` different ones. */
export const populations = (count: number): Readonly<Record<string, readonly string[]>> => {
  const random = createSeededRandom(22);
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const list = (create: (n: number) => string) => Array.from({ length: count }, (_, n) => create(n));
  return {
    sequential: list((n) => `user-${n}`),
    uuid: list(() => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`),
    'e-mail': list((n) => `${['ann', 'bob', 'eva', 'kim'][n % 4]}.${hex(3)}${n}@example.com`),
    short: list((n) => n.toString(36)),
    unicode: list((n) => `${String.fromCodePoint(0x4e00 + (n % 5000), 0x1f600 + (n % 64))}${n}`),
  };
};

export const measure = (place: Place, units: readonly string[]): Quality => {
  const salts = Array.from({ length: SALTS }, (_, n) => `exp_${n}`);
  const places = salts.map((salt) => units.map((unit) => place(salt, unit)));
  const sharing = sharingOf(units);
  const worst = Math.max(...places.map((row) => uniformityOf(row, sharing)));
  const halves = places.map((row) => row.map((at) => at < 0.5));
  const phis = halves
    .flatMap((one, at) => halves.slice(at + 1).map((other) => Math.abs(phiOf(one, other))))
    .sort((a, b) => a - b);
  const root = Math.sqrt(units.length / sharing);
  return {
    sharing,
    uniformity: worst,
    medianPhi: phis[phis.length >> 1]! * root,
    maximumPhi: phis.at(-1)! * root,
  };
};

/** Whether random numbers could have given this: the bounds are exceeded about once in a million measurements. */
export const looksRandom = ({ uniformity, medianPhi, maximumPhi }: Quality): boolean =>
  uniformity < 7 && medianPhi < 1 && maximumPhi < 6;

const sharingOf = (units: readonly string[]): number => {
  const counts = new Map<number, number>();
  for (const unit of units) {
    const hash = hashOn(0, unit);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return [...counts.values()].reduce((sum, count) => sum + count ** 2, 0) / units.length;
};

const uniformityOf = (places: readonly number[], sharing: number): number => {
  const counts = new Array<number>(CELLS).fill(0);
  // Hundredths are not exact: 0.29 * 100 is less than 29.
  for (const at of places) counts[Math.floor(at * CELLS + 1e-9)]!++;
  const expected = places.length / CELLS;
  const square = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (square / sharing - (CELLS - 1)) / Math.sqrt(2 * (CELLS - 1));
};

/** The correlation of two splits. */
const phiOf = (one: readonly boolean[], other: readonly boolean[]): number => {
  const table = [0, 0, 0, 0];
  one.forEach((side, at) => {
    table[(side ? 2 : 0) + (other[at] ? 1 : 0)]!++;
  });
  const [a, b, c, d] = table as [number, number, number, number];
  const size = Math.sqrt((a + b) * (c + d) * (a + c) * (b + d));
  return size === 0 ? 1 : (a * d - b * c) / size;
};
