import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../lib/durations.ts';

const SECOND_MS = 1_000;

/** The wait before each of the ten attempts, about three days in total. */
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

/** A webhook without a success for this long is disabled. */
export const FAILING_MAX_MS = 5 * DAY_MS;

/** The longest `Retry-After` that is honored. */
const RETRY_AFTER_MAX_MS = DAY_MS;
const JITTER = 0.1;

/** The part of an attempt's outcome that decides about the next attempt. */
export interface AttemptEnd {
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly retryAfter: string | undefined;
}

/** What happens to a message after an attempt. */
export type Verdict =
  | { readonly kind: 'succeeded' | 'gone' | 'exhausted' }
  | { readonly kind: 'retry'; readonly delayMs: number };

/** `random`, from 0 to 1, spreads retries by 10 % in both directions. `now` is in milliseconds since 1970. */
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
  const requested = status === 429 || status === 503 ? readRetryAfter(retryAfter, now) : 0;
  return { kind: 'retry', delayMs: Math.max(delayMs, requested) };
}

/** The wait in milliseconds, from either form of the header; 0 when it is malformed. */
function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * SECOND_MS : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}
