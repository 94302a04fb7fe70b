import type { Flag } from '../api/types.ts';
import { type Config, configOf, fillUp } from './rules/config.ts';
import { totals, unitSharesOf } from './rules/shares.ts';

/** A part of the users and what it gets; `share` from 0 to 100. */
export interface Served {
  readonly variation: string;
  readonly share: number;
}

/**
 * What a flag does in an environment. `rules` depend on conditions or on flags that are needed first, so that only counts
 * can tell shares. The list of flags says the same.
 */
export type Serving =
  | { readonly kind: 'off'; readonly served: readonly Served[] }
  | { readonly kind: 'everyone'; readonly served: readonly Served[] }
  | { readonly kind: 'split'; readonly served: readonly Served[] }
  | {
      readonly kind: 'rules';
      readonly count: number;
      readonly needs: number;
      readonly served: readonly Served[];
    };

type Configured = Pick<Flag, 'enabled' | 'targeting_rules' | 'default_variation'> &
  Partial<Pick<Flag, 'prerequisites'>>;

/** What users get in the environment, as far as the configuration alone says it. */
export function servingOf(flag: Configured): Serving {
  const config = configOf(flag);
  const fallback = [{ variation: config.fallback, share: 100 }];
  if (!flag.enabled) return { kind: 'off', served: fallback };
  const { length: count } = config.rules;
  if (count === 0) return { kind: 'everyone', served: fallback };
  const { length: needs } = config.needs;
  if (needs > 0) return { kind: 'rules', count, needs, served: fallback };
  const at = config.rules.findIndex(({ conditions }) => conditions.length === 0);
  const rest = servedByRest(config, at);
  if (at !== 0) return { kind: 'rules', count, needs, served: rest };
  const isForAll = rest.length === 1 && (config.rules[0]!.units?.by ?? 'user_key') === 'user_key';
  return { kind: isForAll ? 'everyone' : 'split', served: rest };
}

/** What those get whom no rule with conditions takes. */
function servedByRest({ rules, fallback }: Config, at: number): readonly Served[] {
  const everyone = rules[at];
  if (everyone?.shares === undefined) return [{ variation: everyone?.variation ?? fallback, share: 100 }];
  const shares = everyone.units ? fillUp(unitSharesOf(everyone.units), fallback) : everyone.shares;
  return [...totals(shares)]
    .filter(([, share]) => share > 0)
    .map(([variation, share]) => ({ variation, share }));
}

/** The colours of variations, which they keep everywhere: the first is 1, the fallback 2 where there is a choice. */
export function seriesOf(flag: Pick<Flag, 'variations'>): (key: string) => number {
  const keys = flag.variations.map(({ key }) => key);
  return (key) => Math.max(0, keys.indexOf(key)) + 1;
}
