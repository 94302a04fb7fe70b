import type { Context } from '@flagsvc/sdk-core';
import type { Page, Pages } from '../fast-path/prepared-chunks.ts';
import {
  FLAG_WORK_MAX,
  type Lengths,
  lengthsOf,
  measureFlag,
  measureRequest,
  type TooMuch,
  workOf,
} from './pattern-work.ts';

/** Some of the work that one flag may do: takes a millisecond, and is done at once. */
export const LIGHT_WORK: number = FLAG_WORK_MAX / 50;

/**
 * What the patterns of these flags read of a context at most; or why that is too much. At first all flags are counted
 * together, which is quick, and nearly always light.
 */
export function measure(
  { list, weights, of }: Pages,
  flagKeys: readonly string[] | '*',
  context: Context,
): number | TooMuch {
  if (weights.size === 0) return 0;
  const lengths = lengthsOf(context);
  // Flags that are named are evaluated one by one, each with its prerequisites.
  const most = workOf(weights, lengths) * (flagKeys === '*' ? 1 : flagKeys.length);
  if (most <= LIGHT_WORK) return most;
  let work = 0;
  for (const [{ patterns }, flagKey] of flagKeys === '*' ? partsOf(list, lengths) : named(flagKeys, of)) {
    const part =
      flagKey === undefined
        ? workOf(patterns.total, lengths)
        : measureFlag(patterns, flagKey, context, lengths);
    if (typeof part !== 'number') return part;
    work += part;
  }
  return measureRequest(work, weights, context, lengths);
}

/** A page's flags together, or one of them. */
type Part = readonly [page: Page, flagKey?: string];

/** As pages answer in steps: all flags at once where they read no more than one may, else one by one. */
function* partsOf(list: readonly Page[], lengths: Lengths): Iterable<Part> {
  for (const page of list) {
    if (workOf(page.patterns.total, lengths) <= FLAG_WORK_MAX) yield [page];
    else for (const { key } of page.flags) yield [page, key];
  }
}

function* named(flagKeys: readonly string[], of: Pages['of']): Iterable<Part> {
  for (const flagKey of flagKeys) yield [of(flagKey), flagKey];
}
