import type { FlagKey } from '../protocol/flags.ts';
import type { Context, EvaluationResult } from '../protocol/protocol.ts';
import type { Snapshot } from './ports.ts';

/** The initial values of a page: evaluations for one user, in the shape of the answer to `POST /evaluate`. */
export interface FlagBootstrap {
  readonly evaluations: Readonly<Record<string, EvaluationResult>>;
  /** Flags whose exposures are to be reported one by one; absent if there are none. */
  readonly track_exposures?: readonly string[] | undefined;
  /** Ids of the rules that assign the units of an attribute, by attribute; absent if all rules assign users. */
  readonly unit_rules?: { readonly [by: string]: readonly string[] } | undefined;
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
  exposes: Snapshot['exposes'],
): FlagBootstrap => {
  const keys = Object.keys(all).filter((key) => flagKeys === '*' || flagKeys.includes(key));
  const track_exposures = keys.filter((key) => exposes(key, null));
  const unit_rules = new Map<string, string[]>();
  for (const key of track_exposures) {
    const { rule_id } = all[key]!;
    const by = exposes(key, rule_id);
    if (by && rule_id !== null && by !== 'user_key')
      unit_rules.set(by, [...(unit_rules.get(by) ?? []), rule_id]);
  }
  return {
    ...(track_exposures.length && { track_exposures }),
    ...(unit_rules.size && { unit_rules: Object.fromEntries(unit_rules) }),
    // A plain object, which server components can pass on; `fromEntries` treats the key `__proto__` like any other.
    evaluations: Object.fromEntries(keys.map((key) => [key, all[key]!])),
  };
};
