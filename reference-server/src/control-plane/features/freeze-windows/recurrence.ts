import { ApiError } from '../../../http/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../../lib/durations.ts';
import { isTimeZone, toInstant, toLocal } from './local-time.ts';

/** A recurrence as the API takes it. */
export interface RecurrenceInput {
  /**
   * The supported part of RFC 5545: FREQ=DAILY, WEEKLY (with BYDAY) or MONTHLY (with BYMONTHDAY), INTERVAL, and
   * COUNT or UNTIL.
   */
  readonly rule: string;
  /** IANA name; days and times of day are this zone's. */
  readonly timezone: string;
  /** 1 to 44,640 (31 days). */
  readonly duration_minutes: number;
  /** No occurrence starts after it; null: no end beside the rule's own. */
  readonly until?: string | null | undefined;
}

/** A rule that has been read. */
interface Rule {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY';
  readonly interval: number;
  /** 0 is Sunday. Empty: that of the first day. */
  readonly weekdays: readonly number[];
  /** 1 to 31, or -1 for the last. Empty: that of the first day. */
  readonly monthDays: readonly number[];
  readonly count: number | null;
  readonly until: Until | null;
}

/** An instant, or a day (since 1970) of the recurrence's zone, which counts to its end. */
type Until = { readonly instant: number } | { readonly day: number };

/** When a recurring window is on. All times are milliseconds since 1970. */
export interface Recurrence {
  readonly durationMs: number;
  /** Start of the last occurrence, or null: it goes on. */
  readonly lastStartAt: number | null;
  /** Starts from `from` on, in order, at most `limit` of them, looking at most `days` days ahead. */
  starts(from: number, days: number): Iterable<number>;
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
/** Looking further than this, for the end of a COUNT or for any occurrence, would be looking for a mistake. */
export const HORIZON_DAYS = 20 * 366;

/**
 * Reads a recurrence that begins at `startsAt`. Throws RECURRENCE_INVALID. Where the start of a COUNT's last occurrence
 * is known, it is not looked for again, which would mean walking through all of them.
 */
export function readRecurrence(
  input: RecurrenceInput,
  startsAt: number,
  knownLastStartAt: number | null = null,
): Recurrence {
  if (!isTimeZone(input.timezone)) throw invalidRecurrence('timezone', 'is no name of a time zone');
  const rule = readRule(input.rule);
  const local = toLocal(input.timezone, startsAt);
  const firstDay = Math.floor(local / DAY_MS);
  const timeOfDay = local - firstDay * DAY_MS;
  const limits = [
    rule.until && lastOf(rule.until, input.timezone),
    input.until == null ? null : Date.parse(input.until),
  ].filter((limit) => limit !== null);
  const until = limits.length > 0 ? Math.min(...limits) : null;

  function* starts(from: number, days: number, last: number | null): Iterable<number> {
    const begin = Math.max(firstDay, Math.floor(toLocal(input.timezone, from) / DAY_MS) - 1);
    for (let day = begin; day <= begin + days; day++) {
      if (!matches(rule, firstDay, day)) continue;
      // The first day's is known, also where its wall clock comes twice.
      const start = day === firstDay ? startsAt : toInstant(input.timezone, day * DAY_MS + timeOfDay);
      if (last !== null && start > last) return;
      if (start >= from) yield start;
    }
  }

  const lastStartAt =
    rule.count === null
      ? until
      : (knownLastStartAt ?? nthStart(starts(startsAt, HORIZON_DAYS, until), rule.count));
  return {
    durationMs: input.duration_minutes * MINUTE_MS,
    lastStartAt,
    starts: (from, days) => starts(from, days, lastStartAt),
  };
}

/** The count-th start, or the last there is. */
function nthStart(starts: Iterable<number>, count: number): number {
  let last = Number.NEGATIVE_INFINITY;
  let seen = 0;
  for (const start of starts) {
    last = start;
    seen += 1;
    if (seen === count) break;
  }
  return last;
}

function matches(rule: Rule, firstDay: number, day: number): boolean {
  switch (rule.frequency) {
    case 'DAILY':
      return (day - firstDay) % rule.interval === 0;
    case 'WEEKLY': {
      const weekdays = rule.weekdays.length > 0 ? rule.weekdays : [weekdayOf(firstDay)];
      return (weekOf(day) - weekOf(firstDay)) % rule.interval === 0 && weekdays.includes(weekdayOf(day));
    }
    case 'MONTHLY': {
      const first = new Date(firstDay * DAY_MS);
      const date = new Date(day * DAY_MS);
      const months =
        (date.getUTCFullYear() - first.getUTCFullYear()) * 12 + date.getUTCMonth() - first.getUTCMonth();
      const monthDays = rule.monthDays.length > 0 ? rule.monthDays : [first.getUTCDate()];
      const isLast = new Date((day + 1) * DAY_MS).getUTCDate() === 1;
      return (
        months % rule.interval === 0 &&
        (monthDays.includes(date.getUTCDate()) || (isLast && monthDays.includes(-1)))
      );
    }
  }
}

/** Day 0 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;
/** Weeks begin on Monday, as RFC 5545 has it by default. */
const weekOf = (day: number): number => Math.floor((day + 3) / 7);

function readRule(text: string): Rule {
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=');
    if (rest.length > 0 || value === '') throw invalidRecurrence('rule', `holds "${part}"`);
    if (parts.has(name)) throw invalidRecurrence('rule', `says ${name} twice`);
    parts.set(name, value);
  }
  const take = (name: string): string | undefined => {
    const value = parts.get(name);
    parts.delete(name);
    return value;
  };
  const frequency = take('FREQ');
  if (frequency !== 'DAILY' && frequency !== 'WEEKLY' && frequency !== 'MONTHLY') {
    throw invalidRecurrence('rule', 'needs FREQ=DAILY, FREQ=WEEKLY or FREQ=MONTHLY');
  }
  const weekdays = frequency === 'WEEKLY' ? take('BYDAY')?.split(',') : undefined;
  const monthDays = frequency === 'MONTHLY' ? take('BYMONTHDAY')?.split(',') : undefined;
  const count = take('COUNT');
  const until = take('UNTIL');
  const interval = readNumber('INTERVAL', take('INTERVAL') ?? '1', 99);
  const [stranger] = parts.keys();
  if (stranger !== undefined)
    throw invalidRecurrence('rule', `holds ${stranger}, which is not supported here`);
  if (count !== undefined && until !== undefined)
    throw invalidRecurrence('rule', 'has either COUNT or UNTIL');
  return {
    frequency,
    interval,
    weekdays: (weekdays ?? []).map((name) => {
      const index = WEEKDAYS.indexOf(name);
      if (index < 0) throw invalidRecurrence('rule', `holds "${name}" in BYDAY`);
      return index;
    }),
    monthDays: (monthDays ?? []).map((day) => (day === '-1' ? -1 : readNumber('BYMONTHDAY', day, 31))),
    count: count === undefined ? null : readNumber('COUNT', count, 1_000),
    until: until === undefined ? null : readUntil(until),
  };
}

function readNumber(name: string, text: string, maximum: number): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= maximum) return value;
  throw invalidRecurrence('rule', `needs a number from 1 to ${maximum} in ${name}`);
}

/** `20261130T235900Z`, or a date. */
function readUntil(text: string): Until {
  const [, year, month, day, time, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d{2})(\d{2})(T(\d{2})(\d{2})(\d{2})Z)?$/.exec(text) ?? [];
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(instant)) throw invalidRecurrence('rule', 'needs UNTIL as 20261130T235900Z or 20261130');
  return time === undefined ? { day: instant / DAY_MS } : { instant };
}

/** The last instant that counts. */
function lastOf(until: Until, timezone: string): number {
  return 'instant' in until ? until.instant : toInstant(timezone, (until.day + 1) * DAY_MS) - 1;
}

function invalidRecurrence(field: string, message: string): ApiError {
  return new ApiError('RECURRENCE_INVALID', {
    message: `The recurrence's ${field} ${message}.`,
    details: { field: `recurrence.${field}`, message },
  });
}
