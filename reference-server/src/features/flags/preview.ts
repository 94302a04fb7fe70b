import { isDeepStrictEqual } from 'node:util';
import { type Context, createEvaluator, type Ruleset } from '@flagsvc/sdk-core';
import { requireReadable } from '../../data-plane/pattern-work.ts';

/** How many contexts are shown with what they would get. */
const EXAMPLES_MAX = 10;

/** What a change would do to some contexts. */
export interface Preview {
  readonly contexts: number;
  /** How many would get another variation. */
  readonly changed: number;
  readonly transitions: readonly { readonly from: string; readonly to: string; readonly count: number }[];
  readonly examples: readonly {
    readonly context: Context;
    readonly from: { readonly variation_key: string; readonly reason: string };
    readonly to: { readonly variation_key: string; readonly reason: string };
  }[];
  /** Flags that wait for this one, with how many contexts would get something else from them. */
  readonly dependents: readonly { readonly flag_key: string; readonly changed: number }[];
  /** Of recorded contexts: what the flag would ask about and none of them has. */
  readonly unrecorded_attributes?: readonly string[];
}

/** Evaluates a flag before and after for each context, and the flags that wait for it. */
export function previewChange(
  flagKey: string,
  { before, after }: { readonly before: Ruleset; readonly after: Ruleset },
  contexts: readonly Context[],
  dependents: readonly string[],
): Preview {
  const old = createEvaluator(before);
  const next = createEvaluator(after);
  const counts = new Map<string, { from: string; to: string; count: number }>();
  const examples: Preview['examples'][number][] = [];
  let changed = 0;
  for (const [index, context] of contexts.entries()) {
    for (const ruleset of [before, after]) requireReadable(ruleset, context, `contexts.${index}`);
    const [from, to] = [old.evaluate(flagKey, context), next.evaluate(flagKey, context)].map(
      ({ variation_key, reason }) => ({ variation_key: variation_key ?? '', reason }),
    ) as [Preview['examples'][number]['from'], Preview['examples'][number]['to']];
    const name = JSON.stringify([from.variation_key, to.variation_key]);
    const known = counts.get(name) ?? { from: from.variation_key, to: to.variation_key, count: 0 };
    known.count++;
    counts.set(name, known);
    if (from.variation_key === to.variation_key) continue;
    changed++;
    if (examples.length < EXAMPLES_MAX) examples.push({ context, from, to });
  }
  return {
    contexts: contexts.length,
    changed,
    transitions: [...counts.values()].sort((left, right) => right.count - left.count),
    examples,
    dependents: dependents.map((key) => ({
      flag_key: key,
      changed: contexts.filter(
        (context) => !isDeepStrictEqual(old.evaluate(key, context).value, next.evaluate(key, context).value),
      ).length,
    })),
  };
}
