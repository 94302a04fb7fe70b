import { DAY_MS } from '../../../lib/durations.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import { type RecurrenceInput, readRecurrence } from './recurrence.ts';

/** How many days ahead to search for the next occurrence. */
const LOOK_AHEAD_DAYS = 3 * 366;

/** A period in which a window is active. `endsAt` is null if it lasts until a user ends it. */
export interface Occurrence {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/** The times at which a window is active, in milliseconds since 1970. */
export interface FreezeTimes {
  /** The occurrence at an instant; if several overlap, the one that ends last. */
  at(instant: number): Occurrence | undefined;
  /**
   * The first occurrence that starts after an instant. The search covers `days` days, by default 3 years, from that
   * instant, or from the first day of the window if that is later.
   */
  after(instant: number, days?: number): Occurrence | undefined;
  /** The occurrences that touch the period from `from` to `to`, in the order of their starts. */
  between(from: number, to: number): Iterable<Occurrence>;
}

export type FreezeTimesRow = Pick<
  FreezeWindowTable,
  'starts_at' | 'ends_at' | 'recurrence_json' | 'last_start_at' | 'ended_at' | 'cancelled_at'
>;

export function freezeTimes(row: FreezeTimesRow): FreezeTimes {
  const startsAt = Date.parse(row.starts_at);
  const limits = [row.ends_at, row.ended_at, row.cancelled_at]
    .filter((time) => time !== null)
    .map(Date.parse);
  const limit = limits.length > 0 ? Math.min(...limits) : null;
  if (row.recurrence_json === null) return once(startsAt, limit);

  const input = JSON.parse(row.recurrence_json) as RecurrenceInput;
  const lastStartAt = row.last_start_at === null ? null : Date.parse(row.last_start_at);
  const { durationMs, starts } = readRecurrence(input, startsAt, lastStartAt);
  const occurrence = (start: number): Occurrence => ({
    startsAt: start,
    endsAt: Math.min(start + durationMs, limit ?? Number.POSITIVE_INFINITY),
  });
  return {
    at(instant) {
      let found: Occurrence | undefined;
      const days = Math.ceil(durationMs / DAY_MS) + 3;
      for (const start of starts(instant - durationMs, days)) {
        if (start > instant) break;
        const one = occurrence(start);
        if (one.endsAt! > instant && one.endsAt! >= (found?.endsAt ?? 0)) found = one;
      }
      return found;
    },
    after(instant, days = LOOK_AHEAD_DAYS) {
      for (const start of starts(instant + 1, days)) {
        return limit === null || start < limit ? occurrence(start) : undefined;
      }
      return undefined;
    },
    *between(from, to) {
      const days = Math.ceil((to - from + durationMs) / DAY_MS) + 3;
      for (const start of starts(from - durationMs + 1, days)) {
        if (start >= to || (limit !== null && start >= limit)) return;
        const one = occurrence(start);
        if (one.endsAt! > from) yield one;
      }
    },
  };
}

function once(startsAt: number, endsAt: number | null): FreezeTimes {
  const isEmpty = endsAt !== null && endsAt <= startsAt;
  const occurrence = { startsAt, endsAt };
  return {
    at: (instant) =>
      !isEmpty && startsAt <= instant && (endsAt === null || instant < endsAt) ? occurrence : undefined,
    after: (instant) => (!isEmpty && startsAt > instant ? occurrence : undefined),
    between: (from, to) =>
      !isEmpty && startsAt < to && (endsAt === null || endsAt > from) ? [occurrence] : [],
  };
}

/**
 * The time after which no occurrence starts, and the time at which the window ends for good. Each is null if there is
 * no such time or if it is unknown.
 */
export function finalEnd(startsAt: string, endsAt: string | null, recurrence: RecurrenceInput | null) {
  if (recurrence === null) return { lastStartAt: null, finalEndAt: endsAt };
  const { lastStartAt, durationMs } = readRecurrence(recurrence, Date.parse(startsAt));
  const ends = [
    ...(endsAt === null ? [] : [Date.parse(endsAt)]),
    ...(lastStartAt === null ? [] : [lastStartAt + durationMs]),
  ].filter(Number.isFinite);
  const toText = (time: number): string => new Date(time).toISOString();
  return {
    lastStartAt: lastStartAt === null || !Number.isFinite(lastStartAt) ? null : toText(lastStartAt),
    finalEndAt: ends.length > 0 ? toText(Math.min(...ends)) : null,
  };
}

/** The next time at which the answer to "is any window active?" changes; null if it does not change within 3 years. */
export function nextChange(windows: readonly FreezeTimes[], from: number): number | null {
  const isOn = (instant: number): boolean => windows.some((times) => times.at(instant) !== undefined);
  const wasOn = isOn(from);
  let instant = from;
  // Skips starts and ends during another window, because they change nothing.
  for (let step = 0; step < 200; step++) {
    const edges = windows.flatMap((times) => [times.at(instant)?.endsAt, times.after(instant)?.startsAt]);
    const next = Math.min(...edges.filter((edge) => edge != null));
    if (!Number.isFinite(next)) return null;
    if (isOn(next) !== wasOn) return next;
    instant = next;
  }
  return null;
}
