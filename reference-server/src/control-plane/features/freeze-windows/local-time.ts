/**
 * Wall-clock time in a named zone, as milliseconds that would be that wall clock's in UTC: days and weekdays are then
 * plain arithmetic.
 */

/** A time this much earlier or later is on the other side of any change of the clock. */
const MARGIN_MS = 24 * 60 * 60 * 1_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** True for a name of the IANA time zone database that this machine knows. */
export function isTimeZone(name: string): boolean {
  // Offsets such as "+01:00" are understood there, and are no zones with a summer.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What the wall clock shows at an instant. */
export function toLocal(timeZone: string, instant: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const millisecond = ((instant % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

/**
 * The instant at which the wall clock shows a time. Of two such instants (the clock was set back) the first; where
 * there is none (it was set forward) the instant as far after the gap as the time is into it.
 */
export function toInstant(timeZone: string, local: number): number {
  const offsetAt = (instant: number): number => toLocal(timeZone, instant) - instant;
  const before = offsetAt(local - MARGIN_MS);
  const after = offsetAt(local + MARGIN_MS);
  const found = [local - before, local - after].filter((instant) => instant + offsetAt(instant) === local);
  return found.length > 0 ? Math.min(...found) : local - before;
}
