import { usageError } from '../output/errors.ts';

const SHAPE = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** ISO 8601 as the API takes it. Without an offset it is local time, as the standard has it. */
export function readTime(option: string, text: string): string {
  const day = SHAPE.exec(text)?.[1];
  // Some days that do not exist would be read as days of the next month.
  const midnight = Date.parse(`${day}T00:00Z`);
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${day}T`);
  const time = Date.parse(text);
  if (isDay && !Number.isNaN(time)) return new Date(time).toISOString();
  throw usageError(
    `${option} is "${text}", which is no time.`,
    'Write it as 2030-01-31T18:00Z, as 2030-01-31T18:00+01:00 or, in local time, as 2030-01-31T18:00.',
  );
}

/** The same moment on the clock of this machine, with its offset. */
export function localTime(utc: string): string {
  const time = new Date(utc);
  const minutes = -time.getTimezoneOffset();
  const clock = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  const two = (count: number) => String(Math.trunc(Math.abs(count))).padStart(2, '0');
  return `${clock}${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** Both: `2030-01-31T17:00:00.000Z (2030-01-31T18:00:00+01:00 here)`. */
export function bothTimes(utc: string): string {
  return `${utc} (${localTime(utc)} here)`;
}
