import { usageError } from '../output/errors.ts';

const ISO_8601 = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** The year of the times in examples: next year, because scheduled changes accept times up to two years ahead. */
export const EXAMPLE_YEAR: number = new Date().getFullYear() + 1;

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of `30m`, `2h` or `3d`; undefined for other texts. */
function parseSpan(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** Parses a past time: ISO 8601, or `2h` for two hours ago. */
export function parsePast(option: string, text: string): string {
  const span = parseSpan(text);
  return span === undefined ? parseTime(option, text) : new Date(Date.now() - span).toISOString();
}

/**
 * Parses an ISO 8601 time, or a time from now such as `+2h`, to UTC. A time without an offset is local time, as the
 * standard says.
 */
export function parseTime(option: string, text: string): string {
  const span = text.startsWith('+') ? parseSpan(text.slice(1)) : undefined;
  if (span !== undefined) return new Date(Date.now() + span).toISOString();
  const day = ISO_8601.exec(text)?.[1];
  // `Date.parse` moves some days that do not exist, such as 30 February, into the next month.
  const midnight = Date.parse(`${day}T00:00Z`);
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${day}T`);
  const time = Date.parse(text);
  if (isDay && !Number.isNaN(time)) return new Date(time).toISOString();
  throw usageError(
    `Invalid ${option} "${text}".`,
    `Write a time like ${EXAMPLE_YEAR}-01-31T18:00Z, ${EXAMPLE_YEAR}-01-31T18:00+01:00 or, for local time, ${EXAMPLE_YEAR}-01-31T18:00; or +30m, +2h or +3d from now.`,
  );
}
