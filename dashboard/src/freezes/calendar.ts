import { type CalendarDate, parseAbsolute } from '@internationalized/date';
import type { Occurrence } from './use-freezes.ts';

const DAY_MS = 86_400_000;
const WEEK = 7;

/** One stretch of an occurrence within a week of the calendar. */
export interface Bar {
  readonly occurrence: Occurrence;
  /** Where it starts and ends, in days from the beginning of the week: 0 to 7. */
  readonly start: number;
  readonly end: number;
  /** Row below the day's number, from 0. */
  readonly lane: number;
  /** False where it goes on in the week before or after. */
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

export interface Week {
  /** Monday first. */
  readonly days: readonly CalendarDate[];
  readonly bars: readonly Bar[];
  /** How many lanes the bars take. */
  readonly lanes: number;
}

/** Whole weeks from a Monday, with the occurrences of windows in a time zone. */
export function layOutWeeks(
  monday: CalendarDate,
  count: number,
  { occurrences, zone }: { readonly occurrences: readonly Occurrence[]; readonly zone: string },
): readonly Week[] {
  const first = dayNumber(monday);
  const spans = occurrences.map((occurrence) => ({
    occurrence,
    start: toDays(occurrence.starts_at, zone) - first,
    end: occurrence.ends_at === null ? Number.POSITIVE_INFINITY : toDays(occurrence.ends_at, zone) - first,
  }));
  return Array.from({ length: count }, (_, index) => {
    const bars = stack(
      spans
        .filter(({ start, end }) => start < (index + 1) * WEEK && end > index * WEEK)
        .map((span) => cut(span, index * WEEK)),
    );
    return {
      days: Array.from({ length: WEEK }, (_day, day) => monday.add({ days: index * WEEK + day })),
      bars,
      lanes: bars.reduce((most, { lane }) => Math.max(most, lane + 1), 0),
    };
  });
}

/** The Monday of the week of a day. */
export function mondayOf(day: CalendarDate): CalendarDate {
  // Day 0, 1 January 1970, was a Thursday.
  return day.subtract({ days: (((dayNumber(day) + 3) % WEEK) + WEEK) % WEEK });
}

function cut(
  span: { readonly occurrence: Occurrence; readonly start: number; readonly end: number },
  from: number,
) {
  const start = span.start - from;
  const end = span.end - from;
  return {
    occurrence: span.occurrence,
    start: Math.max(0, start),
    end: Math.min(WEEK, end),
    isStart: start >= 0,
    isEnd: end <= WEEK,
  };
}

/** Puts each bar into the first lane that is free from its first to its last day. */
function stack(bars: readonly Omit<Bar, 'lane'>[]): readonly Bar[] {
  const ends: number[] = [];
  return bars
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .map((bar) => {
      const free = ends.findIndex((end) => end <= Math.floor(bar.start));
      const lane = free === -1 ? ends.length : free;
      ends[lane] = Math.ceil(bar.end);
      return { ...bar, lane };
    });
}

function dayNumber(day: CalendarDate): number {
  return Math.round(Date.UTC(day.year, day.month - 1, day.day) / DAY_MS);
}

/** An instant as days since 1970 on the clocks of a zone. */
function toDays(instant: string, zone: string): number {
  return (Date.parse(instant) + parseAbsolute(instant, zone).offset) / DAY_MS;
}
