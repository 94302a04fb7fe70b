import type { FlagKey } from '../protocol/flags.ts';
import type { Context, EvaluationResult } from '../protocol/protocol.ts';

/** Evaluations for one user, as `POST /evaluate` answers them: what a page starts from. */
export interface FlagBootstrap {
  readonly evaluations: Readonly<Record<string, EvaluationResult>>;
  /** Flags of which single exposures are to be reported; absent when there are none. */
  readonly track_exposures?: readonly string[] | undefined;
}

/** A client of a server, from which pages can start. */
export interface BootstrapClient {
  /**
   * What the page of this user starts from: for `createBrowserClient` and for `FlagProvider`. It is sent to the
   * visitor, so name the flags, or give `'*'` for all that the client's key sees: with a key of kind `client` these
   * are the ones meant for visitors. Unknown flags are left out. Not counted as use.
   */
  bootstrap(context: Context, flagKeys: readonly FlagKey[] | '*'): FlagBootstrap;
}

/** Picks the flags that a page is told of, and says which of them it is to report (decisions/0017). */
export const pickBootstrap = (
  all: FlagBootstrap['evaluations'],
  flagKeys: readonly string[] | '*',
  exposes: (key: string) => boolean | undefined,
): FlagBootstrap => {
  const keys = Object.keys(all).filter((key) => flagKeys === '*' || flagKeys.includes(key));
  const track_exposures = keys.filter(exposes);
  return {
    ...(track_exposures.length && { track_exposures }),
    // A plain object, as server components hand on, in which a flag called `__proto__` is like any other.
    evaluations: Object.fromEntries(keys.map((key) => [key, all[key]!])),
  };
};
