/**
 * `npm run bench:assignment`: uniformity and independence of the buckets of each revision. The last line says whether
 * revision 3 looks random in every population.
 */
import { bucketOn, HASH_START, hashOn } from '../src/evaluator/bucket.ts';
import { looksRandom, measure, type Place, populations } from './assignment-quality.ts';

const UNITS = 20_000;

const placeOf =
  (bucketing: 1 | 2, bucketCount: number): Place =>
  (salt, unit) =>
    bucketOn({ prefix: hashOn(HASH_START, `${salt}:`), bucketing, bucketCount }, unit)! / bucketCount;

/** Each revision's buckets. Revision 3 mixes as revision 2 does, into 10,000 buckets. */
export const places = { 1: placeOf(1, 100), 2: placeOf(2, 100), 3: placeOf(2, 10_000) };

if (import.meta.main) {
  console.log(
    `${UNITS} units, 40 salts, 780 pairs; |phi| of random splits is about ${(1 / Math.sqrt(UNITS)).toFixed(4)}`,
  );
  let isRandom = true;
  for (const [revision, place] of Object.entries(places))
    for (const [name, units] of Object.entries(populations(UNITS))) {
      const quality = measure(place, units);
      const phi = (value: number) => (value / Math.sqrt(UNITS)).toFixed(4);
      console.log(
        `revision ${revision}, ${name}: ${quality.sharing.toFixed(2)} units per hash, chi-square at most ${quality.uniformity.toFixed(1)} standard deviations above its mean, ` +
          `|phi| median ${phi(quality.medianPhi)}, maximum ${phi(quality.maximumPhi)}${looksRandom(quality) ? '' : ' (not random)'}`,
      );
      if (revision === '3') isRandom &&= looksRandom(quality);
    }
  console.log(isRandom ? 'revision 3 looks random in every population' : 'revision 3 does not look random');
  process.exitCode = isRandom ? 0 : 1;
}
