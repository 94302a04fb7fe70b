import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../lib/durations.ts';

const SECOND_MS = 1_000;

/** The wait before each of the ten attempts; about three days together. */
const ATTEMPT_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** After so long without a success a webhook is disabled. */
export const FAILING_MAX_MS = 5 * DAY_MS;

/** However long a `Retry-After` may be, it is obeyed only so far. */
const RETRY_AFTER_MAX_MS = DAY_MS;
const JITTER = 0.1;

/** How an attempt ended, as far as the next one depends on it. */
export interface AttemptEnd {
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly retryAfter: string | undefined;
}

/** What becomes of a message after an attempt. */
export type Verdict =
  | { readonly kind: 'succeeded' | 'gone' | 'exhausted' }
  | { readonly kind: 'retry'; readonly delayMs: number };

/** `random` from 0 to 1 spreads retries by a tenth either way. `now` is a wall clock in milliseconds. */
export function judgeAttempt(
  { status, retryAfter }: AttemptEnd,
  attemptsDone: number,
  { random, now }: { readonly random: () => number; readonly now: number },
): Verdict {
  if (status !== null && status >= 200 && status < 300) return { kind: 'succeeded' };
  if (status === 410) return { kind: 'gone' };
  const planned = ATTEMPT_DELAYS_MS[attemptsDone];
  if (planned === undefined) return { kind: 'exhausted' };
  const delayMs = planned * (1 - JITTER + 2 * JITTER * random());
  const asked = status === 429 || status === 503 ? readRetryAfter(retryAfter, now) : 0;
  return { kind: 'retry', delayMs: Math.max(delayMs, asked) };
}

/** Both forms of the header; 0 when it says nothing sensible. */
function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * SECOND_MS : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}
