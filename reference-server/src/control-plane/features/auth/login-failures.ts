import { HOUR_MS } from '../../../lib/durations.ts';

/** Counts failed attempts at accounts, and how long each account has to wait. */
export interface LoginFailures {
  /**
   * Counts an attempt as failed before it is made, so that parallel attempts cannot pass unseen. Does not count it while
   * the account has to wait.
   */
  begin(account: string): Promise<BegunAttempt>;
  /** Takes an attempt back that neither failed nor succeeded. */
  undo(account: string, attempt: BegunAttempt): Promise<void>;
  /** Forgets all failures of the account. */
  clear(account: string): Promise<void>;
}

export interface BegunAttempt {
  /** Milliseconds for which the account has to wait; 0: the attempt may be made. */
  readonly waitMs: number;
  /** Failures, this attempt included. */
  readonly failures: number;
}

/**
 * The number of failures at which waits begin. Fewer failures cause none, because people mistype, and one address is
 * limited to 10 attempts a minute anyway.
 */
export const FREE_FAILURES = 10;
/** Each further failure doubles the wait up to this maximum; a longer wait would let an attacker lock a user out. */
export const WAIT_MAX_MS = 300_000;
/** The count resets this long after the last failure. */
export const RESET_AFTER_MS = HOUR_MS;
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

/** Keeps the failures in this process. `now` is a wall clock. */
export function createMemoryLoginFailures(now: () => number): LoginFailures {
  const accounts = new Map<string, Failures>();

  const find = (account: string, time: number): Failures | undefined => {
    const known = accounts.get(account);
    // A wall clock that was set back does not lengthen the wait.
    if (known !== undefined && time < known.lastAt) {
      known.waitUntil -= known.lastAt - time;
      known.lastAt = time;
    }
    return known;
  };

  return {
    async begin(account) {
      const time = now();
      const known = find(account, time);
      const waitMs = (known?.waitUntil ?? 0) - time;
      if (known !== undefined && waitMs > 0) return { waitMs, failures: known.count };
      const failures = known !== undefined && time - known.lastAt < RESET_AFTER_MS ? known.count + 1 : 1;
      accounts.delete(account);
      accounts.set(account, { count: failures, lastAt: time, waitUntil: time + waitAfter(failures) });
      if (accounts.size > REMEMBERED_MAX) accounts.delete(accounts.keys().next().value!);
      return { waitMs: 0, failures };
    },
    async undo(account, { failures }) {
      const known = accounts.get(account);
      if (known?.count !== failures) return;
      known.count -= 1;
      known.waitUntil = 0;
    },
    async clear(account) {
      accounts.delete(account);
    },
  };
}

/** The wait after this many failures, in milliseconds. */
function waitAfter(failures: number): number {
  return failures < FREE_FAILURES ? 0 : Math.min(1_000 * 2 ** (failures - FREE_FAILURES), WAIT_MAX_MS);
}
