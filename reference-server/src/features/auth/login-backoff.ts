import { ApiError } from '../../http/errors.ts';

/** Slows down guessing at one account from many addresses, beside the limit per address. */
export interface LoginBackoff {
  /** Throws RATE_LIMIT_EXCEEDED (429) while the account has to wait. */
  check(account: string): void;
  failed(account: string): void;
  succeeded(account: string): void;
}

/** Failures that cost nothing: people mistype, and one address is limited to 10 a minute anyway. */
const FREE_FAILURES = 10;
/** Each further failure doubles the wait, up to this. More would let a stranger lock somebody out for long. */
const MAX_WAIT_SECONDS = 300;
/** Without a failure for so long, an account starts anew. */
const FORGET_MS = 60 * 60 * 1000;
/** Accounts that are remembered, known and unknown ones alike; the oldest is forgotten first. */
const REMEMBERED_MAX = 10_000;

interface Failures {
  count: number;
  lastAt: number;
  waitUntil: number;
}

export function createLoginBackoff(now: () => number): LoginBackoff {
  const accounts = new Map<string, Failures>();
  return {
    check(account) {
      const waitUntil = accounts.get(account)?.waitUntil ?? 0;
      const wait = waitUntil - now();
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
    },
    failed(account) {
      const time = now();
      const known = accounts.get(account);
      const count = known !== undefined && time - known.lastAt < FORGET_MS ? known.count + 1 : 1;
      const wait = count < FREE_FAILURES ? 0 : Math.min(2 ** (count - FREE_FAILURES), MAX_WAIT_SECONDS);
      accounts.delete(account);
      accounts.set(account, { count, lastAt: time, waitUntil: time + wait * 1000 });
      if (accounts.size > REMEMBERED_MAX) accounts.delete(accounts.keys().next().value!);
    },
    succeeded: (account) => void accounts.delete(account),
  };
}
