import { type Context, type EvaluationResult, type Evaluator, parseRuleset } from '@flagsvc/sdk-core';
import type { Steps } from '../evaluate/heavy-work.ts';
import { FLAG_WORK_MAX, type Lengths, type PatternLoad, workOf } from '../evaluate/pattern-work.ts';
import type { Chunk } from '../ruleset/chunks.ts';
import { type AddMembers, createAddMembers, type FlagGroup, memberOf } from './flag-members.ts';
import { createOutcomeCache, type SharedCache } from './outcome-cache.ts';
import { append, type Pieces } from './pieces.ts';

/** The members of the `evaluations` object for a chunk's flags; each member is written once per result. */
export interface ChunkAnswers {
  /** One flag's member, as text. */
  member(flagKey: string, context: Context): string;
  /** Appends the members of all flags. */
  readonly addAll: AddMembers;
  /** Like `addAll`, but in steps. No step needs more work than the limit of one flag. */
  addInSteps(context: Context, lengths: Lengths, into: Pieces): Steps<void>;
  /** Prepares `addAll` before the first request. */
  prepare(): void;
}

/**
 * A context that needs more work than this skips the cache, because a cache miss runs every matcher and then evaluates
 * the flags as well.
 */
const CACHED_WORK_MAX = FLAG_WORK_MAX / 10;

/** `evaluator` has the chunk's flags and those that they need. */
export function createChunkAnswers(
  evaluator: Evaluator,
  { flags, needed, patterns }: Chunk & { readonly patterns: PatternLoad },
  shared: SharedCache,
): ChunkAnswers {
  const members = new Map<EvaluationResult, string>();
  const isServed = (flagKey: string): boolean => evaluator.evaluate(flagKey, {}).reason !== 'FLAG_NOT_FOUND';
  // Each of these is made on first use, because making it compiles all patterns.
  const group = once((): FlagGroup => {
    const { ruleset } = evaluator;
    const sound = parseRuleset({ ...ruleset, flags }).ruleset?.flags ?? [];
    return { ruleset, flags: sound.filter(({ key }) => isServed(key)), needed };
  });
  const addUncached = once(() => createAddMembers(group()));
  const addCached = once(() => createOutcomeCache(group(), shared, addUncached()));

  const member = (flagKey: string, context: Context): string => {
    const result = evaluator.evaluate(flagKey, context);
    const known = members.get(result);
    if (known !== undefined) return known;
    const member = memberOf(flagKey, result);
    // All unknown keys share one result, so a cached member would have the wrong key.
    if (result.reason !== 'FLAG_NOT_FOUND') members.set(result, member);
    return member;
  };

  return {
    member,
    addAll: (context, into) => addCached()(context, into),
    *addInSteps(context, lengths, into) {
      const work = workOf(patterns.total, lengths);
      if (work <= FLAG_WORK_MAX) {
        (work <= CACHED_WORK_MAX ? addCached() : addUncached())(context, into);
        yield;
        return;
      }
      for (const { key } of group().flags) {
        append(into, Buffer.from(`,${member(key, context)}`));
        yield;
      }
    },
    prepare: () => void addCached(),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
