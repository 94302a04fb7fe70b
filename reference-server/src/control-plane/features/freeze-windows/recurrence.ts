import { ApiError } from '../../../http/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../../lib/durations.ts';
import { isTimeZone, toInstant, toLocal } from './local-time.ts';

/** A recurrence as the API takes it. */
export interface RecurrenceInput {
  /**
   * A rule of RFC 5545. Supported are FREQ=DAILY, WEEKLY (optionally with BYDAY) or MONTHLY (optionally with
   * BYMONTHDAY), and optionally INTERVAL and either COUNT or UNTIL.
   */
  readonly rule: string;
  /** IANA name of the zone in which days and times of day are read. */
  readonly timezone: string;
  /** 1 to 44,640 (31 days). */
  readonly duration_minutes: number;
  /** No occurrence starts after this time; null: only the rule limits the occurrences. */
  readonly until?: string | null | undefined;
}

/** A parsed rule. */
interface Rule {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY';
  readonly interval: number;
  /** 0 is Sunday. Empty: the weekday of the first day. */
  readonly weekdays: readonly number[];
  /** 1 to 31, or -1 for the last day of the month. Empty: the day of the month of the first day. */
  readonly monthDays: readonly number[];
  readonly count: number | null;
  readonly until: Until | null;
}

/**
 * The inclusive limit of a rule: an instant, or a day in the recurrence's time zone, as the number of days since 1970.
 */
type Until = { readonly instant: number } | { readonly day: number };

/** The times at which a recurring window starts, in milliseconds since 1970. */
export interface Recurrence {
  readonly durationMs: number;
  /** No occurrence starts after this time; null if the occurrences never end. */
  readonly lastStartAt: number | null;
  /**
   * The starts at or after `from`, in order. The search covers `days` days from `from`, or from the first start if that
   * is later.
   */
  starts(from: number, days: number): Iterable<number>;
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
/** How many days ahead to search for the last occurrence. A rule that reaches further is probably a mistake. */
export const HORIZON_DAYS = 20 * 366;

/**
 * Parses a recurrence that begins at `startsAt`. Throws RECURRENCE_INVALID. `knownLastStartAt` is the start of the last
 * occurrence of a rule with COUNT, if known; otherwise all occurrences are counted to find it.
 */
export function readRecurrence(
  input: RecurrenceInput,
  startsAt: number,
  knownLastStartAt: number | null = null,
): Recurrence {
  if (!isTimeZone(input.timezone)) throw invalidRecurrence('timezone', 'is not the name of a time zone');
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
      // The first start is always `startsAt`, even if its local time occurs twice.
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

/** The start at position `count`, counted from 1, or the last start if there are fewer. */
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
/** Weeks begin on Monday, the default of RFC 5545. */
const weekOf = (day: number): number => Math.floor((day + 3) / 7);

function readRule(text: string): Rule {
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=');
    if (rest.length > 0 || value === '')
      throw invalidRecurrence('rule', `contains "${part}", which is not NAME=value`);
    if (parts.has(name)) throw invalidRecurrence('rule', `contains ${name} twice`);
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
  const [unsupported] = parts.keys();
  if (unsupported !== undefined)
    throw invalidRecurrence('rule', `contains ${unsupported}, which is not supported`);
  if (count !== undefined && until !== undefined)
    throw invalidRecurrence('rule', 'must not contain both COUNT and UNTIL');
  return {
    frequency,
    interval,
    weekdays: (weekdays ?? []).map((name) => {
      const index = WEEKDAYS.indexOf(name);
      if (index < 0) throw invalidRecurrence('rule', `contains the unknown weekday "${name}" in BYDAY`);
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

/** The last instant at which an occurrence may start. */
function lastOf(until: Until, timezone: string): number {
  return 'instant' in until ? until.instant : toInstant(timezone, (until.day + 1) * DAY_MS) - 1;
}

function invalidRecurrence(field: string, message: string): ApiError {
  return new ApiError('RECURRENCE_INVALID', {
    message: `The recurrence's ${field} ${message}.`,
    details: { field: `recurrence.${field}`, message },
  });
}
