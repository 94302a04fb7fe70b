import { ApiError, type ErrorCode } from '../../../http/errors.ts';
import { createKeyedMutex } from '../../../lib/keyed-mutex.ts';
import type { BegunAttempt, LoginFailures } from './login-failures.ts';

/** Slows down guesses at one account from many addresses; the rate limit per address applies as well. */
export interface LoginBackoff {
  /**
   * Runs `act` after all earlier attempts of this process at the account, because each may impose a wait on the next. A
   * wrong guess counts as a failure; success resets the count. Throws RATE_LIMIT_EXCEEDED (429) while the account has to
   * wait.
   */
  attempt<T>(account: string, act: () => Promise<T>): Promise<T>;
  /** Resets the count. */
  reset(account: string): Promise<void>;
}

export interface LoginBackoffDeps {
  readonly now: () => number;
  readonly failures: LoginFailures;
  /** The error that `act` throws after a wrong guess. */
  readonly wrongGuess: ErrorCode;
}

export function createLoginBackoff({ now, failures, wrongGuess }: LoginBackoffDeps): LoginBackoff {
  const exclusive = createKeyedMutex();
  /** Counts of different kinds of guesses at one account do not mix. */
  const nameOf = (account: string): string => `${wrongGuess} ${account}`;

  function requireNoWait({ waitMs }: BegunAttempt): void {
    if (waitMs <= 0) return;
    const retryAfter = Math.ceil(waitMs / 1000);
    const headers = {
      'retry-after': String(retryAfter),
      // These replace the headers of the limit per address, which would allow another try.
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil((now() + waitMs) / 1000)),
    };
    throw new ApiError('RATE_LIMIT_EXCEEDED', {
      message: `Too many failed logins for this account. Try again in ${retryAfter} s.`,
      details: { retry_after: retryAfter },
      headers,
    });
  }

  return {
    attempt: (account, act) =>
      exclusive(account, async () => {
        const begun = await failures.begin(nameOf(account));
        requireNoWait(begun);
        try {
          const result = await act();
          await failures.clear(nameOf(account));
          return result;
        } catch (error) {
          const isWrong = error instanceof ApiError && error.code === wrongGuess;
          if (!isWrong) await failures.undo(nameOf(account), begun);
          throw error;
        }
      }),
    reset: (account) => failures.clear(nameOf(account)),
  };
}
