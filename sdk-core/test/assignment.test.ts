/** A sample of `npm run bench:assignment`. */
import { expect, test } from 'vitest';
import { places } from '../bench/assignment.ts';
import { looksRandom, measure, populations } from '../bench/assignment-quality.ts';

test.each(Object.entries(populations(3_000)))(
  'assigns %s keys uniformly, and independently under 780 pairs of salts',
  (_, units) => {
    const quality = measure(places[3], units);
    expect(looksRandom(quality), JSON.stringify(quality)).toBe(true);
  },
);

test('the measurement notices the buckets of revision 1, which are not independent', () => {
  expect(looksRandom(measure(places[1], populations(3_000)['uuid']!))).toBe(false);
});

test('the measurement notices buckets that are not uniform', () => {
  const uneven = measure((salt, unit) => places[3](salt, unit) ** 1.2, populations(3_000)['uuid']!);
  expect(looksRandom(uneven)).toBe(false);
});
