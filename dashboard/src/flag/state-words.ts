import type { Flag } from '../api/types.ts';
import { type Config, configOf } from './rules/config.ts';
import { totals } from './rules/shares.ts';

/** A part of the users and what it gets; `share` from 0 to 100. */
export interface Served {
  readonly variation: string;
  readonly share: number;
}

/** What a flag does in an environment. `rules` have conditions, so that only counts can tell shares. */
export type Serving =
  | { readonly kind: 'off'; readonly served: readonly Served[] }
  | { readonly kind: 'everyone'; readonly served: readonly Served[] }
  | { readonly kind: 'split'; readonly served: readonly Served[] }
  | { readonly kind: 'rules'; readonly count: number; readonly served: readonly Served[] };

type Configured = Pick<Flag, 'enabled' | 'targeting_rules' | 'default_variation'>;

/** What users get in the environment, as far as the configuration alone says it. */
export function servingOf(flag: Configured): Serving {
  const config = configOf(flag);
  if (!flag.enabled) return { kind: 'off', served: [{ variation: config.fallback, share: 100 }] };
  const at = config.rules.findIndex(({ conditions }) => conditions.length === 0);
  const rules = at === -1 ? config.rules : config.rules.slice(0, at);
  const rest = servedByRest(config, at);
  if (rules.length > 0) return { kind: 'rules', count: rules.length, served: rest };
  return { kind: rest.length === 1 ? 'everyone' : 'split', served: rest };
}

/** What those get whom no rule with conditions takes. */
function servedByRest({ rules, fallback }: Config, at: number): readonly Served[] {
  const everyone = rules[at];
  if (everyone?.shares === undefined) return [{ variation: everyone?.variation ?? fallback, share: 100 }];
  return [...totals(everyone.shares)]
    .filter(([, share]) => share > 0)
    .map(([variation, share]) => ({ variation, share }));
}

/** The colours of variations, which they keep everywhere: the first is 1, the fallback 2 where there is a choice. */
export function seriesOf(flag: Pick<Flag, 'variations'>): (key: string) => number {
  const keys = flag.variations.map(({ key }) => key);
  return (key) => Math.max(0, keys.indexOf(key)) + 1;
}
