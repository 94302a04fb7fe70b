import type { Flag } from '../api/types.ts';
import { type Config, configOf, fillUp } from './rules/config.ts';
import { totals, unitSharesOf } from './rules/shares.ts';

/** A part of the users and what it gets; `share` from 0 to 100. */
export interface Served {
  readonly variation: string;
  readonly share: number;
}

/** What a flag does in an environment, as far as its configuration alone says it. */
export interface Serving {
  /** `rules` have conditions, so that only counts can tell shares. */
  readonly kind: 'off' | 'everyone' | 'split' | 'rules';
  /** The number of rules, for `rules`. */
  readonly count: number;
  /** How many flags must serve something first. Where one of them does not, everyone gets the default. */
  readonly needs: number;
  /** What those get whom no rule with conditions takes. */
  readonly served: readonly Served[];
}

type Configured = Pick<Flag, 'enabled' | 'targeting_rules' | 'default_variation'> &
  Partial<Pick<Flag, 'prerequisites'>>;

/** What users get in the environment. The list of flags says the same. */
export function servingOf(flag: Configured): Serving {
  const config = configOf(flag);
  const { length: count } = config.rules;
  const toAll = (kind: 'off' | 'everyone'): Serving => ({
    kind,
    count,
    needs: 0,
    served: [{ variation: config.fallback, share: 100 }],
  });
  if (!flag.enabled) return toAll('off');
  if (count === 0) return toAll('everyone');
  const at = config.rules.findIndex(({ conditions }) => conditions.length === 0);
  const served = servedByRest(config, at);
  // Units may lack the attribute, and then get the default.
  const isForAll = served.length === 1 && (config.rules[0]!.units?.by ?? 'user_key') === 'user_key';
  const kind = at !== 0 ? 'rules' : isForAll ? 'everyone' : 'split';
  return { kind, count, needs: config.needs.length, served };
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
