import { parseAbsolute, toCalendarDateTime, toZoned } from '@internationalized/date';

const MINUTE_MS = 60_000;

/** The time zone of the browser, an IANA name. */
export const ownZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All zones that the browser knows. */
export const zoneNames = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** How far a zone is ahead of UTC at an instant, in minutes. */
export const offsetMinutes = (instant: string, zone: string): number =>
  parseAbsolute(instant, zone).offset / MINUTE_MS;

/** `UTC+1`, `UTC-3:30`, `UTC`. */
export function offsetWords(instant: string, zone: string): string {
  const minutes = offsetMinutes(instant, zone);
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** By how many minutes the clocks of a zone have moved between now and an instant: 60 forward, -60 back, 0 not at all. */
export function clockShift(nowMs: number, instant: string, zone: string): number {
  return offsetMinutes(instant, zone) - offsetMinutes(new Date(nowMs).toISOString(), zone);
}

/** The instant at which the clock of another zone shows what the clock of the first one shows. */
export function sameClockIn(instant: string, from: string, to: string): string {
  return toZoned(toCalendarDateTime(parseAbsolute(instant, from)), to).toAbsoluteString();
}

/** Tomorrow at nine in a zone. */
export function tomorrowAtNine(nowMs: number, zone: string): string {
  return parseAbsolute(new Date(nowMs).toISOString(), zone)
    .add({ days: 1 })
    .set({ hour: 9, minute: 0, second: 0, millisecond: 0 })
    .toAbsoluteString();
}
