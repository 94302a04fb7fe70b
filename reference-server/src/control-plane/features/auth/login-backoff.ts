import type { ErrorCode } from '../../../http/error-codes.ts';
import { ApiError } from '../../../http/errors.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import { createKeyedMutex } from '../../../lib/keyed-mutex.ts';

/** Slows down guessing at one account from many addresses, beside the limit per address. */
export interface LoginBackoff {
  /**
   * Runs an attempt at an account when those before it are over, since each may be the one that makes the next wait.
   * Counts it when it throws the code of a wrong guess, and starts anew when it throws nothing. Throws
   * RATE_LIMIT_EXCEEDED (429) while the account has to wait.
   */
  attempt<T>(account: string, act: () => Promise<T>): Promise<T>;
  /** Starts anew, whatever was counted. */
  forget(account: string): void;
}

/** Failures that cost nothing: people mistype, and one address is limited to 10 a minute anyway. */
const FREE_FAILURES = 10;
/** Each further failure doubles the wait, up to this. More would let a stranger lock somebody out for long. */
const WAIT_MAX_SECONDS = 300;
/** Without a failure for so long, an account starts anew. */
const FORGET_MS = HOUR_MS;
/** Accounts that are remembered, known and unknown ones alike; the oldest is forgotten first. */
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
    // The clock was set back: nobody waits for it to come to where it was.
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
      // Instead of what the address has left, which does not help.
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
    const failures = known !== undefined && time - known.lastAt < FORGET_MS ? known.count + 1 : 1;
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
    forget: (account) => void accounts.delete(account),
  };
}
