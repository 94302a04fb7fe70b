/**
 * Converts between instants and the local times of a time zone. A local time is represented by the milliseconds since
 * 1970 at which a clock in UTC shows the same date and time, so days and weekdays are plain arithmetic.
 */

/**
 * Subtracted from a local time (read as UTC) and added to it, this gives instants safely before and after any clock
 * change near that time.
 */
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

/** True for a name of the IANA time zone database that this runtime knows. */
export function isTimeZone(name: string): boolean {
  // `Intl` also accepts offsets such as "+01:00", which have no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The local time at an instant. */
export function toLocal(timeZone: string, instant: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const millisecond = ((instant % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

/**
 * The instant of a local time. If the local time occurs twice, because the clock is set back, the first instant counts.
 * If it is skipped, because the clock is set forward, it is read with the offset from before the change: if 02:00 becomes 03:00, 02:30 gives the instant that clocks show as 03:30.
 */
export function toInstant(timeZone: string, local: number): number {
  const offsetAt = (instant: number): number => toLocal(timeZone, instant) - instant;
  const before = offsetAt(local - MARGIN_MS);
  const after = offsetAt(local + MARGIN_MS);
  const found = [local - before, local - after].filter((instant) => instant + offsetAt(instant) === local);
  return found.length > 0 ? Math.min(...found) : local - before;
}
