import { createEvaluator, type Evaluator, type Flag, type Json, type Ruleset } from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { canonicalMsgpack } from '../../lib/canonical-msgpack.ts';
import { segmentKeysOf } from '../../lib/segment-keys.ts';
import { createTimeSlice } from '../../lib/time-slice.ts';
import { type ExposureNotes, exposureNotesOf } from '../evaluate/exposure-members.ts';
import { createFinder, type PatternLoads } from '../evaluate/pattern-loads.ts';
import {
  conditionsOf,
  createPatternLoad,
  type PatternLoad,
  type SegmentConditions,
  sumOf,
} from '../evaluate/pattern-work.ts';
import { type Chunk, endOfChunk, type Needed, neededBy } from '../ruleset/chunks.ts';
import { digestOfJson } from '../ruleset/entity-tag.ts';
import { type ChunkAnswers, createChunkAnswers } from './chunk-answers.ts';
import { createSharedCache, type SharedCache } from './outcome-cache.ts';

/**
 * A chunk with everything that is made from it. Versions of the ruleset share it as long as its flags are the same
 * objects.
 */
export interface PreparedChunk extends Chunk, ExposureNotes {
  /** Keys outside the chunk that its prerequisites lead to, including keys that no flag has. */
  readonly neededKeys: ReadonlySet<string>;
  /** The key of the flag that follows the chunk, if there is one. */
  readonly nextKey: string | undefined;
  /** Evaluates `flags` and `needed`. */
  readonly evaluator: Evaluator;
  readonly answers: ChunkAnswers;
  /** The cost of the patterns of `flags` and `needed`. */
  readonly patterns: PatternLoad;
  /** The flags' canonical JSON, with commas between them. */
  readonly json: Uint8Array;
  /** The SHA-256 of `json`. */
  readonly digest: Uint8Array;
  /** The flags in MessagePack, one after the other; made on first use. */
  msgpack(): Uint8Array;
}

/** The prepared chunks of one version of a ruleset. */
export interface PreparedChunks extends PatternLoads {
  readonly ruleset: Ruleset;
  readonly list: readonly PreparedChunk[];
  readonly shared: SharedCache;
  chunkOf(flagKey: string): PreparedChunk;
}

export interface PrepareOptions {
  /** The previous version. Chunks whose flags and prerequisites are the same objects are reused. */
  readonly previous?: PreparedChunks | undefined;
  /** True prepares `evaluate` for all flags now; default false: it is prepared on first use. */
  readonly forAllFlags?: boolean;
}

/**
 * Prepares a ruleset chunk by chunk, so that a change requires work only for the chunks that it affects
 * (decisions/0037). Requests run in between.
 */
export async function prepareChunks(
  ruleset: Ruleset,
  { previous, forAllFlags = false }: PrepareOptions = {},
): Promise<PreparedChunks> {
  const slice = createTimeSlice();
  const { flags } = ruleset;
  const hasSameSegments = previous !== undefined && isSame(previous.ruleset.segments, ruleset.segments);
  const known = hasSameSegments ? previous.list : [];
  const segments = conditionsOf(ruleset.segments);
  const found = findRanges(flags, known, segments);
  const { ranges, gone } = found ?? {
    ranges: [{ from: 0, to: flags.length, known: undefined }],
    gone: known,
  };
  const changed = changedKeys(flags, ranges, gone);
  const shared = createSharedCache(flags.length, hasSameSegments ? previous.shared : undefined);
  const list: PreparedChunk[] = [];
  for (const { from, to, known } of ranges) {
    if (known !== undefined && !overlaps(known.neededKeys, changed)) {
      list.push(known);
    } else {
      if (slice.isOver()) await slice.yieldToOthers();
      const own = flags.slice(from, to);
      const needed = found === undefined ? { keys: new Set<string>(), flags: [] } : neededBy(own, flags);
      list.push(prepareChunk({ ruleset, segments, shared }, { own, needed, nextKey: flags[to]?.key }));
    }
    if (forAllFlags) list.at(-1)!.answers.prepare();
  }
  const weights = sumOf(list.map(({ patterns }) => patterns.total));
  return { ruleset, list, shared, weights, chunkOf: createFinder(list) };
}

function prepareChunk(
  {
    ruleset,
    segments,
    shared,
  }: {
    readonly ruleset: Ruleset;
    readonly segments: SegmentConditions;
    readonly shared: SharedCache;
  },
  {
    own,
    needed,
    nextKey,
  }: {
    readonly own: readonly Flag[];
    readonly needed: Needed;
    readonly nextKey: string | undefined;
  },
): PreparedChunk {
  const all = [...own, ...needed.flags];
  // An evaluator prepares all segments that it gets, so it gets only those that are used.
  const used = segmentKeysOf(all);
  const usedSegments = ruleset.segments.filter(({ key }) => used.has(key));
  const evaluator = createEvaluator({ ...ruleset, flags: all, segments: usedSegments }, { createRuleIndex });
  const patterns = createPatternLoad(all, segments);
  const json = Buffer.from(own.map(jsonOf).join(','));
  const chunk = { flags: own, needed: needed.flags, patterns };
  let msgpack: Uint8Array | undefined;
  return {
    ...chunk,
    neededKeys: needed.keys,
    nextKey,
    evaluator,
    answers: createChunkAnswers(evaluator, chunk, shared),
    json,
    digest: digestOfJson(json),
    msgpack() {
      msgpack ??= Buffer.concat(own.map(canonicalMsgpack));
      return msgpack;
    },
    ...exposureNotesOf(own),
  };
}

/** The place of a chunk among the flags, and the chunk of the previous version with the same flags, if there is one. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly known: PreparedChunk | undefined;
}

/**
 * The ranges of the new chunks, and the previous chunks that none of them reuses (`gone`); undefined if flags are out
 * of order. Walks both lists side by side.
 */
function findRanges(
  flags: readonly Flag[],
  known: readonly PreparedChunk[],
  segments: SegmentConditions,
): { readonly ranges: readonly Range[]; readonly gone: readonly PreparedChunk[] } | undefined {
  const ranges: Range[] = [];
  const gone: PreparedChunk[] = [];
  let from = 0;
  let next = 0;
  do {
    for (; next < known.length && startsBefore(known[next]!, flags[from]); next++) gone.push(known[next]!);
    const candidate = known[next];
    const same = candidate !== undefined && isAt(candidate, flags, from) ? candidate : undefined;
    if (same !== undefined) next += 1;
    const to = same === undefined ? endOfChunk(flags, from, segments) : from + same.flags.length;
    if (to === undefined) return undefined;
    ranges.push({ from, to, known: same });
    from = to;
  } while (from < flags.length);
  return { ranges, gone: [...gone, ...known.slice(next)] };
}

function startsBefore({ flags: [first] }: PreparedChunk, flag: Flag | undefined): boolean {
  return first !== flag && first !== undefined && flag !== undefined && first.key < flag.key;
}

/**
 * Whether `flags` contains exactly this chunk at `from`: its flags are the same objects, and the same key follows. A
 * loop is used for speed, because each version compares all flags.
 */
function isAt({ flags: own, nextKey }: PreparedChunk, flags: readonly Flag[], from: number): boolean {
  const { length } = own;
  if (own[0] !== flags[from] || nextKey !== flags[from + length]?.key) return false;
  for (let index = 1; index < length; index++) if (own[index] !== flags[from + index]) return false;
  return true;
}

/** The keys of flags that were added, removed or changed. */
function changedKeys(
  flags: readonly Flag[],
  ranges: readonly Range[],
  gone: readonly PreparedChunk[],
): ReadonlySet<string> {
  const differing = new Set(gone.flatMap((chunk) => chunk.flags));
  for (const { from, to, known } of ranges) {
    if (known !== undefined) continue;
    for (const flag of flags.slice(from, to)) if (!differing.delete(flag)) differing.add(flag);
  }
  return new Set([...differing].map(keyOf));
}

const keyOf = ({ key }: Flag): string => key;

function overlaps(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size === 0) return false;
  const [few, many] = left.size < right.size ? [left, right] : [right, left];
  for (const key of few) if (many.has(key)) return true;
  return false;
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

const texts = new WeakMap<Flag, string>();

/** Cached by flag, because most flags of a changed chunk are the same objects as before. */
function jsonOf(flag: Flag): string {
  let text = texts.get(flag);
  if (text === undefined) {
    text = canonicalJson(flag as unknown as Json);
    texts.set(flag, text);
  }
  return text;
}
