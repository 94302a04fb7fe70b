import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FreezeTimesRow, finalEnd, freezeTimes, nextChange } from './freeze-times.ts';
import { toInstant, toLocal } from './local-time.ts';
import { readRecurrence } from './recurrence.ts';

const at = (text: string): number => Date.parse(text);

function weekly(more: object = {}, row: Partial<FreezeTimesRow> = {}) {
  const recurrence = {
    rule: 'FREQ=WEEKLY;BYDAY=FR',
    timezone: 'Europe/Berlin',
    duration_minutes: 60,
    ...more,
  };
  return freezeTimes({
    starts_at: '2026-10-01T15:00:00.000Z',
    ends_at: null,
    recurrence_json: JSON.stringify(recurrence),
    last_start_at: null,
    ended_at: null,
    cancelled_at: null,
    ...row,
  });
}

test('a window is active from its first millisecond until its end', () => {
  const times = freezeTimes({
    starts_at: '2026-11-26T00:00:00.000Z',
    ends_at: '2026-11-30T00:00:00.000Z',
    recurrence_json: null,
    last_start_at: null,
    ended_at: null,
    cancelled_at: null,
  });
  expect(times.at(at('2026-11-25T23:59:59.999Z'))).toBeUndefined();
  expect(times.at(at('2026-11-26T00:00:00.000Z'))).toBeDefined();
  expect(times.at(at('2026-11-29T23:59:59.999Z'))).toBeDefined();
  expect(times.at(at('2026-11-30T00:00:00.000Z'))).toBeUndefined();
});

test('a recurrence keeps its time of day when daylight saving time begins or ends', () => {
  // 17:00 in Berlin: 15:00 UTC in summer, 16:00 UTC from 25 October 2026 on.
  const times = weekly();
  expect(times.at(at('2026-10-23T15:00:00.000Z'))).toBeDefined();
  expect(times.at(at('2026-10-30T15:30:00.000Z'))).toBeUndefined();
  expect(times.at(at('2026-10-30T16:00:00.000Z'))).toBeDefined();
  expect(times.at(at('2026-10-30T17:00:00.000Z'))).toBeUndefined();
});

test('a wall-clock time that occurs twice means the first instant, and a skipped time moves past the gap', () => {
  const zone = 'Europe/Berlin';
  expect(toInstant(zone, at('2026-10-25T02:30:00.000Z'))).toBe(at('2026-10-25T00:30:00.000Z'));
  expect(toInstant(zone, at('2026-03-29T02:30:00.000Z'))).toBe(at('2026-03-29T01:30:00.000Z'));
  expect(toLocal('Asia/Kathmandu', at('2026-01-01T00:00:00.000Z'))).toBe(at('2026-01-01T05:45:00.000Z'));
});

test('a window can start at the second of two equal wall-clock times', () => {
  const starts_at = '2026-10-25T01:30:00.000Z';
  const recurrence = { rule: 'FREQ=DAILY;COUNT=2', timezone: 'Europe/Berlin', duration_minutes: 60 };
  const { lastStartAt: last_start_at } = finalEnd(starts_at, null, recurrence);
  const times = weekly(recurrence, { starts_at, last_start_at });
  expect(times.at(at('2026-10-25T00:45:00.000Z'))).toBeUndefined();
  expect(times.at(at('2026-10-25T01:30:00.000Z'))).toBeDefined();
  expect(times.at(at('2026-10-26T01:30:00.000Z'))).toBeDefined();
  expect(times.at(at('2026-10-27T01:30:00.000Z'))).toBeUndefined();
});

test('converting an instant to local time and back keeps the local time and never gives a later instant', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
  const instants = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') });
  fc.assert(
    fc.property(fc.constantFrom(...zones), instants, (zone, instant) => {
      const back = toInstant(zone, toLocal(zone, instant));
      expect(toLocal(zone, back)).toBe(toLocal(zone, instant));
      expect(back).toBeLessThanOrEqual(instant);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['America/Los_Angeles', '2026-11-02T02:00:00.000Z', '2026-12-01T02:00:00.000Z'],
  ['Europe/Berlin', '2026-10-31T23:15:00.000Z', '2026-11-29T23:15:00.000Z'],
  ['Asia/Kathmandu', '2026-10-31T18:15:00.000Z', '2026-11-29T18:15:00.000Z'],
])('UNTIL with a date includes that whole day in %s', (timezone, first, last) => {
  const rule = 'FREQ=DAILY;UNTIL=20261130';
  const { starts } = readRecurrence({ rule, timezone, duration_minutes: 60 }, at(first));
  const all = [...starts(at(first), 60)];
  expect([all.length, new Date(all.at(-1)!).toISOString()]).toEqual([30, last]);
});

test('COUNT is evaluated once: later checks use the stored last start', () => {
  const starts_at = '2026-10-01T15:00:00.000Z';
  const recurrence = { rule: 'FREQ=DAILY;COUNT=1000', timezone: 'Europe/Berlin', duration_minutes: 60 };
  const { lastStartAt } = finalEnd(starts_at, null, recurrence);
  expect(lastStartAt).toBe('2029-06-26T15:00:00.000Z');
  const isOn = (last_start_at: string | null, instant: string) =>
    weekly(recurrence, { last_start_at }).at(at(instant)) !== undefined;
  for (const known of [lastStartAt, null]) {
    expect(isOn(known, '2029-06-26T15:30:00.000Z')).toBe(true);
    expect(isOn(known, '2029-06-27T15:30:00.000Z')).toBe(false);
  }
  // Trusting the stored last start saves each check from iterating over all occurrences.
  expect(isOn('2026-10-05T15:00:00.000Z', '2026-10-06T15:30:00.000Z')).toBe(false);
});

test('an occurrence may last several days and overlap the next ones', () => {
  const times = weekly({ rule: 'FREQ=WEEKLY;BYDAY=FR,SA,SU', duration_minutes: 4_320 });
  const sunday = times.at(at('2026-11-01T17:00:00.000Z'));
  expect(new Date(sunday!.endsAt!).toISOString()).toBe('2026-11-04T16:00:00.000Z');
  expect(times.at(at('2026-11-04T15:59:00.000Z'))).toBeDefined();
  expect(times.at(at('2026-11-04T16:00:00.000Z'))).toBeUndefined();
});

test.each([
  [
    'FREQ=DAILY;INTERVAL=3;COUNT=3',
    ['2026-10-01T15:00:00.000Z', '2026-10-04T15:00:00.000Z', '2026-10-07T15:00:00.000Z'],
  ],
  ['FREQ=WEEKLY;COUNT=2', ['2026-10-01T15:00:00.000Z', '2026-10-08T15:00:00.000Z']],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=3',
    ['2026-10-01T15:00:00.000Z', '2026-10-12T15:00:00.000Z', '2026-10-15T15:00:00.000Z'],
  ],
  ['FREQ=MONTHLY;BYMONTHDAY=31;UNTIL=20261231', ['2026-10-31T16:00:00.000Z', '2026-12-31T16:00:00.000Z']],
  ['FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2', ['2026-10-31T16:00:00.000Z', '2026-11-30T16:00:00.000Z']],
  ['FREQ=DAILY;UNTIL=20261002T150000Z', ['2026-10-01T15:00:00.000Z', '2026-10-02T15:00:00.000Z']],
])('the rule %s has the expected occurrences', (rule, expected) => {
  const start = at('2026-10-01T15:00:00.000Z');
  const { starts } = readRecurrence({ rule, timezone: 'Europe/Berlin', duration_minutes: 1 }, start);
  expect([...starts(start, 200)].map((one) => new Date(one).toISOString())).toEqual(expected);
});

test.each([
  '',
  'FREQ=HOURLY',
  'FREQ=WEEKLY;BYDAY=XX',
  'FREQ=WEEKLY;BYDAY=1MO',
  'FREQ=DAILY;BYDAY=MO',
  'FREQ=DAILY;COUNT=0',
  'FREQ=DAILY;COUNT=1;UNTIL=20261231',
  'FREQ=DAILY;FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=1000',
  'FREQ=MONTHLY;BYMONTHDAY=32',
  'FREQ=DAILY;UNTIL=20261340',
  'FREQ=DAILY;UNTIL=20261130T180000',
  'FREQ=DAILY;BYHOUR=3',
  'DAILY',
])('the rule "%s" is refused', (rule) => {
  expect(() => readRecurrence({ rule, timezone: 'UTC', duration_minutes: 1 }, 0)).toThrow(
    expect.objectContaining({ code: 'RECURRENCE_INVALID' }),
  );
});

test('unknown time zones and UTC offsets are refused', () => {
  for (const timezone of ['Mars/Olympus', '+01:00', '']) {
    expect(() => readRecurrence({ rule: 'FREQ=DAILY', timezone, duration_minutes: 1 }, 0)).toThrow();
  }
});

test('the next change skips starts and ends while another window is active', () => {
  const row = { recurrence_json: null, last_start_at: null, ended_at: null, cancelled_at: null };
  const first = freezeTimes({ ...row, starts_at: '2026-11-01T00:00:00Z', ends_at: '2026-11-03T00:00:00Z' });
  const second = freezeTimes({ ...row, starts_at: '2026-11-02T00:00:00Z', ends_at: '2026-11-05T00:00:00Z' });
  const both = [first, second];
  expect(nextChange(both, at('2026-10-31T00:00:00Z'))).toBe(at('2026-11-01T00:00:00Z'));
  expect(nextChange(both, at('2026-11-01T12:00:00Z'))).toBe(at('2026-11-05T00:00:00Z'));
  expect(nextChange(both, at('2026-11-05T00:00:00Z'))).toBeNull();
});

test('a window is active exactly when one of its occurrences includes the instant', () => {
  const rules = fc.constantFrom(
    'FREQ=DAILY;INTERVAL=2',
    'FREQ=WEEKLY;BYDAY=SA,SU',
    'FREQ=MONTHLY;BYMONTHDAY=1,25,-1',
  );
  fc.assert(
    fc.property(
      rules,
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 0, max: 40 * 1440 }),
      (rule, minutes, offset) => {
        const start = at('2026-10-01T15:00:00.000Z');
        const instant = start + offset * 60_000;
        const input = { rule, timezone: 'America/New_York', duration_minutes: minutes };
        const all = [...readRecurrence(input, start).starts(start, 60)];
        const expected = all.some((one) => one <= instant && instant < one + minutes * 60_000);
        expect(weekly(input).at(instant) !== undefined).toBe(expected);
      },
    ),
    { numRuns: 200 },
  );
});
