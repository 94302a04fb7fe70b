import { expect, test } from 'vitest';
import { evaluationsOf } from './series.ts';

const nowMs = Date.parse('2026-11-24T13:12:09Z');
const variations = ['on', 'off'];

test('days are filled with 0, the present day is last, and earlier ones are left out', () => {
  const counts = [
    { date: '2026-11-17', variation_key: 'on', count: 99 },
    { date: '2026-11-18', variation_key: 'on', count: 3 },
    { date: '2026-11-24', variation_key: 'on', count: 4 },
    { date: '2026-11-24', variation_key: 'off', count: 1 },
    { date: '2026-11-24', variation_key: 'on', count: 2 },
  ];
  const { times, series, total } = evaluationsOf(counts, { range: '7d', variations, nowMs });
  expect(new Date(times[0]!).toISOString()).toBe('2026-11-18T00:00:00.000Z');
  expect(new Date(times.at(-1)!).toISOString()).toBe('2026-11-24T00:00:00.000Z');
  expect(series).toEqual([
    { key: 'on', counts: [3, 0, 0, 0, 0, 0, 6], total: 9 },
    { key: 'off', counts: [0, 0, 0, 0, 0, 0, 1], total: 1 },
  ]);
  expect(total).toBe(10);
});

test('hours end with the present one, to which a clock that is ahead counts too', () => {
  const counts = [
    { date: '2026-11-23T14:00:00.000Z', variation_key: 'on', count: 1 },
    { date: '2026-11-24T14:00:00.000Z', variation_key: 'on', count: 2 },
  ];
  const { times, series } = evaluationsOf(counts, { range: '24h', variations, nowMs });
  expect(times).toHaveLength(24);
  expect(series[0]!.counts[0]).toBe(1);
  expect(series[0]!.counts[23]).toBe(2);
});

test('removed variations and no variation come after the variations of the flag', () => {
  const counts = [
    { date: '2026-11-24', variation_key: null, count: 1 },
    { date: '2026-11-24', variation_key: 'old', count: 1 },
  ];
  const { series } = evaluationsOf(counts, { range: '30d', variations, nowMs });
  expect(series.map(({ key }) => key)).toEqual(['on', 'off', 'old', undefined]);
});
