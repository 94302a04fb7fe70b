import { expect, test } from 'vitest';
import { clockShift, offsetWords, sameClockIn, tomorrowAtNine } from './zone-times.ts';

const AMSTERDAM = 'Europe/Amsterdam';
const now = Date.parse('2027-03-20T12:00:00Z');

test('an offset is written as people write it', () => {
  expect(offsetWords('2027-01-10T12:00:00Z', AMSTERDAM)).toBe('UTC+1');
  expect(offsetWords('2027-07-10T12:00:00Z', AMSTERDAM)).toBe('UTC+2');
  expect(offsetWords('2027-07-10T12:00:00Z', 'UTC')).toBe('UTC');
  expect(offsetWords('2027-01-10T12:00:00Z', 'America/St_Johns')).toBe('UTC-3:30');
  expect(offsetWords('2027-01-10T12:00:00Z', 'Asia/Kathmandu')).toBe('UTC+5:45');
});

test('a shift of daylight saving between now and then is found in both directions', () => {
  expect(clockShift(now, '2027-03-28T00:59:59Z', AMSTERDAM)).toBe(0);
  expect(clockShift(now, '2027-03-28T01:00:00Z', AMSTERDAM)).toBe(60);
  expect(clockShift(Date.parse('2027-10-01T00:00:00Z'), '2027-11-01T09:00:00Z', AMSTERDAM)).toBe(-60);
  expect(clockShift(now, '2028-03-20T12:00:00Z', AMSTERDAM)).toBe(0);
  expect(clockShift(now, '2027-08-01T12:00:00Z', 'Asia/Tokyo')).toBe(0);
});

test('another zone keeps what the clock shows', () => {
  expect(sameClockIn('2027-01-10T09:00:00.000Z', AMSTERDAM, 'Asia/Tokyo')).toBe('2027-01-10T01:00:00.000Z');
  expect(sameClockIn('2027-01-10T09:00:00.000Z', AMSTERDAM, 'UTC')).toBe('2027-01-10T10:00:00.000Z');
});

test('an hour that the clocks skip becomes the next one that exists', () => {
  expect(sameClockIn('2027-03-28T02:30:00.000Z', 'UTC', AMSTERDAM)).toBe('2027-03-28T01:30:00.000Z');
});

test('tomorrow at nine is nine on the clock, also when it shifts in the night', () => {
  expect(tomorrowAtNine(Date.parse('2027-03-27T12:00:00Z'), AMSTERDAM)).toBe('2027-03-28T07:00:00.000Z');
  expect(tomorrowAtNine(Date.parse('2027-03-26T23:30:00Z'), AMSTERDAM)).toBe('2027-03-28T07:00:00.000Z');
});
