import { ApiError, type ErrorCode } from '../../../http/errors.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import { createKeyedMutex } from '../../../lib/keyed-mutex.ts';

/** Slows down guesses at one account from many addresses; the rate limit per address applies as well. */
export interface LoginBackoff {
  /**
   * Runs `act` after all earlier attempts at the account, because each may impose a wait on the next. A wrong guess counts
   * as a failure; success resets the count. Throws RATE_LIMIT_EXCEEDED (429) while the account has to wait.
   */
  attempt<T>(account: string, act: () => Promise<T>): Promise<T>;
  /** Resets the count. */
  reset(account: string): void;
}

/**
 * The number of failures at which waits begin. Fewer failures cause none, because people mistype, and one address is
 * limited to 10 attempts a minute anyway.
 */
const FREE_FAILURES = 10;
/** Each further failure doubles the wait up to this maximum; a longer wait would let an attacker lock a user out. */
const WAIT_MAX_SECONDS = 300;
/** The count resets this long after the last failure. */
const RESET_AFTER_MS = HOUR_MS;
/**
 * Maximum number of accounts with a count, whether or not they exist; the account whose last failure is oldest is
 * dropped first.
 */
const REMEMBERED_MAX = 10_000;

interface Failures {
  count: number;
  lastAt: number;
  waitUntil: number;
}

export function createLoginBackoff(now: () => number, wrongGuess: ErrorCode): LoginBackoff {
  const accounts = new Map<string, Failures>();
  const exclusive = createKeyedMutex();

  function requireNoWait(account: string): void {
    const time = now();
    const known = accounts.get(account);
    // A wall clock that was set back does not lengthen the wait.
    if (known !== undefined && time < known.lastAt) {
      known.waitUntil -= known.lastAt - time;
      known.lastAt = time;
    }
    const waitUntil = known?.waitUntil ?? 0;
    const wait = waitUntil - time;
    if (wait <= 0) return;
    const retryAfter = Math.ceil(wait / 1000);
    const headers = {
      'retry-after': String(retryAfter),
      // These replace the headers of the limit per address, which would allow another try.
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(waitUntil / 1000)),
    };
    throw new ApiError('RATE_LIMIT_EXCEEDED', {
      message: `Too many failed logins for this account. Try again in ${retryAfter} s.`,
      details: { retry_after: retryAfter },
      headers,
    });
  }

  function count(account: string): void {
    const time = now();
    const known = accounts.get(account);
    const failures = known !== undefined && time - known.lastAt < RESET_AFTER_MS ? known.count + 1 : 1;
    const wait = failures < FREE_FAILURES ? 0 : Math.min(2 ** (failures - FREE_FAILURES), WAIT_MAX_SECONDS);
    accounts.delete(account);
    accounts.set(account, { count: failures, lastAt: time, waitUntil: time + wait * 1000 });
    if (accounts.size > REMEMBERED_MAX) accounts.delete(accounts.keys().next().value!);
  }

  return {
    attempt: (account, act) =>
      exclusive(account, async () => {
        requireNoWait(account);
        try {
          const result = await act();
          accounts.delete(account);
          return result;
        } catch (error) {
          if (error instanceof ApiError && error.code === wrongGuess) count(account);
          throw error;
        }
      }),
    reset: (account) => void accounts.delete(account),
  };
}
