import { locale } from './language.ts';

type Unit = Intl.RelativeTimeFormatUnit;
const STEPS: readonly (readonly [Unit, number])[] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 14],
];
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' });
const ownZone = new Intl.DateTimeFormat(locale).resolvedOptions().timeZone;

/** Milliseconds since 1970 of an instant of the API. */
export const toMs = (instant: string): number => Date.parse(instant);

/** `12s ago`, `in 3h`, `yesterday`; a date when it is two weeks away or more. */
export function formatRelative(instant: string, nowMs: number): string {
  let amount = (toMs(instant) - nowMs) / 1000;
  if (Math.abs(amount) < 5) return relative.format(0, 'second');
  for (const [unit, size] of STEPS) {
    if (Math.abs(Math.round(amount)) < size) return relative.format(Math.round(amount), unit);
    amount /= size === 14 ? 1 : size;
  }
  return formatDay(instant, nowMs);
}

/** `15 Jan`, with the year unless it is this one. */
export function formatDay(instant: string, nowMs: number, timeZone: string = ownZone): string {
  const isThisYear = new Date(instant).getFullYear() === new Date(nowMs).getFullYear();
  return format(
    instant,
    { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) },
    timeZone,
  );
}

/** `Tue, 1 Dec, 09:00`, in the person's zone unless given. */
export function formatMoment(instant: string, timeZone: string = ownZone): string {
  return format(
    instant,
    { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
    timeZone,
  );
}

/** The exact instant with seconds and zone: `Tuesday, 24 November 2026 at 14:12:09 CET`. */
export function formatExact(instant: string, timeZone: string = ownZone): string {
  return format(instant, { dateStyle: 'full', timeStyle: 'long' }, timeZone);
}

/** Days, hours, minutes and seconds of a span in milliseconds, never below zero. */
export function splitSpan(ms: number): Readonly<Record<'days' | 'hours' | 'minutes' | 'seconds', number>> {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor((seconds % 86_400) / 3_600),
    minutes: Math.floor((seconds % 3_600) / 60),
    seconds: seconds % 60,
  };
}

function format(instant: string, options: Intl.DateTimeFormatOptions, timeZone: string): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(new Date(instant));
}
