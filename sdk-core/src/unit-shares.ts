import type { BucketRange, UnitBucketing } from './protocol/protocol.ts';

const BUCKETS = 10_000;

/**
 * The percentage of units that revision 3 of bucketing serves each variation; the rest get the default. Gates with
 * different salts let independent parts of the units in, and a gate with the salt of the rule cuts its ranges.
 */
export const unitShares = ({ salt, ranges, gates }: UnitBucketing): ReadonlyMap<string, number> => {
  const openings = new Map<string, BucketRange>([[salt, { from: 0, to: BUCKETS }]]);
  for (const gate of gates ?? []) openings.set(gate.salt, overlapOf(gate, openings.get(gate.salt) ?? gate));
  let passing = 100;
  for (const [key, opening] of openings) if (key !== salt) passing *= widthOf(opening) / BUCKETS;
  const buckets = new Map<string, number>();
  for (const range of ranges) {
    const served = widthOf(overlapOf(range, openings.get(salt)!));
    buckets.set(range.variation, (buckets.get(range.variation) ?? 0) + served);
  }
  return new Map([...buckets].map(([variation, count]) => [variation, (passing * count) / BUCKETS]));
};

const overlapOf = (one: BucketRange, other: BucketRange): BucketRange => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to),
});

const widthOf = ({ from, to }: BucketRange): number => Math.max(0, to - from);
