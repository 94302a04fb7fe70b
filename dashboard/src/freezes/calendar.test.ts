import { CalendarDate } from '@internationalized/date';
import { expect, test } from 'vitest';
import { layOutWeeks, mondayOf } from './calendar.ts';
import type { Occurrence } from './use-freezes.ts';

const scope = { project_ids: [], environment_ids: [], environment_types: [], tags: [] };
const occurrence = (name: string, starts_at: string, ends_at: string | null): Occurrence => ({
  freeze_window_id: `frz_${name}`,
  name,
  scope,
  starts_at,
  ends_at,
});
const monday = new CalendarDate(2026, 11, 23);
const layOut = (...occurrences: Occurrence[]) =>
  layOutWeeks(monday, 2, { occurrences, zone: 'Europe/Amsterdam' });

test('a window over two weeks has a bar in each, open where it goes on', () => {
  const [first, second] = layOut(occurrence('peak', '2026-11-23T11:00:00Z', '2026-12-01T08:00:00Z'));
  expect(first!.bars).toMatchObject([{ start: 0.5, end: 7, isStart: true, isEnd: false }]);
  expect(second!.bars).toMatchObject([{ start: 0, end: 1.375, isStart: false, isEnd: true }]);
});

test('days are those of the zone, also on the day when clocks change', () => {
  const weeks = layOutWeeks(new CalendarDate(2026, 10, 19), 1, {
    occurrences: [occurrence('late', '2026-10-24T22:30:00Z', '2026-10-25T22:30:00Z')],
    zone: 'Europe/Amsterdam',
  });
  // 00:30 in summer time, 23:30 in winter time.
  expect(weeks[0]!.bars[0]!.start).toBeCloseTo(6 + 0.5 / 24);
  expect(weeks[0]!.bars[0]!.end).toBeCloseTo(6 + 23.5 / 24);
});

test('bars that share a day get lanes of their own, and a free lane is used again', () => {
  const [week] = layOut(
    occurrence('a', '2026-11-23T08:00:00Z', '2026-11-25T08:00:00Z'),
    occurrence('b', '2026-11-25T10:00:00Z', '2026-11-26T08:00:00Z'),
    occurrence('c', '2026-11-27T08:00:00Z', '2026-11-28T08:00:00Z'),
  );
  expect(week!.bars.map(({ occurrence: { name }, lane }) => [name, lane])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 0],
  ]);
  expect(week!.lanes).toBe(2);
});

test('a window without an end fills every week after its start', () => {
  const [first, second] = layOut(occurrence('open', '2026-11-27T08:00:00Z', null));
  expect(first!.bars).toMatchObject([{ end: 7, isEnd: false }]);
  expect(second!.bars).toMatchObject([{ start: 0, end: 7, isEnd: false }]);
});

test.each([
  [new CalendarDate(2026, 11, 23), '2026-11-23'],
  [new CalendarDate(2026, 11, 29), '2026-11-23'],
  [new CalendarDate(2026, 1, 1), '2025-12-29'],
])('the week of %s begins on %s', (day, expected) => {
  expect(mondayOf(day).toString()).toBe(expected);
});
