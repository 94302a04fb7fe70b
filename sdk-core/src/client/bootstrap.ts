import type { FlagKey } from '../protocol/flags.ts';
import type { Context, EvaluationResult } from '../protocol/protocol.ts';

/** The initial values of a page: evaluations for one user, in the shape of the answer to `POST /evaluate`. */
export interface FlagBootstrap {
  readonly evaluations: Readonly<Record<string, EvaluationResult>>;
  /** Flags whose exposures are to be reported one by one; absent if there are none. */
  readonly track_exposures?: readonly string[] | undefined;
}

/** The part of a server's client that creates bootstraps for pages. */
export interface BootstrapClient {
  /**
   * The bootstrap for this user's page, for `createBrowserClient` and `FlagProvider`. It is sent to the visitor, so
   * name only the flags that the page needs. `'*'` takes every flag that the client's key sees; with a key of kind
   * `client` these are the flags meant for visitors. Unknown flags are left out. This does not count as use.
   */
  bootstrap(context: Context, flagKeys: readonly FlagKey[] | '*'): FlagBootstrap;
}

/** Builds a bootstrap of the named flags, and lists the flags whose exposures are to be reported (decisions/0017). */
export const pickBootstrap = (
  all: FlagBootstrap['evaluations'],
  flagKeys: readonly string[] | '*',
  exposes: (key: string) => boolean | undefined,
): FlagBootstrap => {
  const keys = Object.keys(all).filter((key) => flagKeys === '*' || flagKeys.includes(key));
  const track_exposures = keys.filter(exposes);
  return {
    ...(track_exposures.length && { track_exposures }),
    // A plain object, which server components can pass on; `fromEntries` treats the key `__proto__` like any other.
    evaluations: Object.fromEntries(keys.map((key) => [key, all[key]!])),
  };
};
