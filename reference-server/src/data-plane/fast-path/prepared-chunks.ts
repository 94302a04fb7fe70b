import { createHash } from 'node:crypto';
import {
  bucket,
  createEvaluator,
  type Evaluator,
  type Flag,
  type Json,
  type Ruleset,
} from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { encode } from '@msgpack/msgpack';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { segmentKeysOf } from '../../lib/segment-keys.ts';
import { lastUpTo } from '../../lib/sorted-list.ts';
import { createTimeSlice } from '../../lib/time-slice.ts';
import {
  conditionsOf,
  createPatternLoad,
  ownWeights,
  type PatternLoad,
  type SegmentConditions,
  sumOf,
  type Weights,
} from '../evaluate/pattern-work.ts';
import { createPageAnswers, type PageAnswers } from './chunk-answers.ts';
import { type CaseTable, createCaseTable } from './outcome-cache.ts';

/** Some flags that lie side by side, and all that is made from them. Versions in which they are the same share it. */
export interface Page {
  readonly flags: readonly Flag[];
  /** Keys that the prerequisites of these lead to and that are none of theirs, whether there is such a flag or not. */
  readonly leadsTo: ReadonlySet<string>;
  /** The flags at these keys: they lie on other pages. */
  readonly needed: readonly Flag[];
  /** The key of the flag behind the last one, if there is one. */
  readonly next: string | undefined;
  /** Has `flags` and `needed`. */
  readonly evaluator: Evaluator;
  readonly answers: PageAnswers;
  /** Of `flags` and `needed`. */
  readonly patterns: PatternLoad;
  /** The flags' canonical JSON, with commas between. */
  readonly json: Uint8Array;
  /** The SHA-256 of `json`. */
  readonly digest: Uint8Array;
  /** The flags in MessagePack, one after the other; made when first asked for, then kept. */
  msgpack(): Uint8Array;
  /** Keys of the flags whose exposures should be reported. */
  readonly exposing: readonly string[];
}

/** A ruleset in pages, so that a change costs what it changes (decisions/0037). */
export interface Pages {
  readonly ruleset: Ruleset;
  /** At least one. */
  readonly list: readonly Page[];
  readonly cases: CaseTable;
  /** What the patterns of all pages cost together. */
  readonly weights: Weights;
  /** The page that has the flag, if there is such a flag. */
  of(flagKey: string): Page;
}

const PAGE_MIN = 16;
const PAGE_MAX = 64;
/** A page ends behind the flag with which its patterns weigh as much: they are prepared all at once. */
const PAGE_WEIGHT_MAX = 20_000;
/** So many of a hundred keys begin a page. */
const PAGE_STARTS = 4;

/** Flags that lie side by side, from one place up to another, and the page that they were before. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly before: Page | undefined;
}

export interface PagesOptions {
  /** Every page of it whose flags, and what these depend on, are the same objects is taken over. */
  readonly previous?: Pages | undefined;
  /** True makes at once what an answer for all flags needs. Default false: when it is asked for. */
  readonly isReadyForAll?: boolean;
}

/** Requests are answered between one page and the next; a single new one is made in one go. */
export async function createPages(
  ruleset: Ruleset,
  { previous, isReadyForAll = false }: PagesOptions = {},
): Promise<Pages> {
  const slice = createTimeSlice();
  const { flags } = ruleset;
  const areSegmentsSame = previous !== undefined && isSame(previous.ruleset.segments, ruleset.segments);
  const known = areSegmentsSame ? previous.list : [];
  const segments = conditionsOf(ruleset.segments);
  const found = findRuns(flags, known, segments);
  const { runs, gone } = found ?? { runs: [{ from: 0, to: flags.length, before: undefined }], gone: known };
  const changed = keysChanged(flags, runs, gone);
  const cases = createCaseTable(flags.length, areSegmentsSame ? previous.cases : undefined);
  const list: Page[] = [];
  for (const { from, to, before } of runs) {
    if (before !== undefined && !doMeet(before.leadsTo, changed)) {
      list.push(before);
    } else {
      if (slice.isOver()) await slice.yieldToOthers();
      const own = flags.slice(from, to);
      const led = found === undefined ? new Map() : leadsTo(own, flags);
      list.push(createPage({ ruleset, segments }, own, led, flags[to]?.key, cases));
    }
    if (isReadyForAll) list.at(-1)!.answers.prepare();
  }
  const keys = list.map((page) => page.flags[0]?.key ?? '');
  const weights = sumOf(list.map(({ patterns }) => patterns.total));
  return {
    ruleset,
    list,
    cases,
    weights,
    of: (flagKey) => list[lastUpTo(keys, flagKey, itself)] ?? list[0]!,
  };
}

/**
 * The whole ruleset's evaluator. A flag is decided by its page's evaluator, which has everything that the flag
 * depends on.
 */
export function createPagedEvaluator({ ruleset, list, of }: Pages): Evaluator {
  const visitAll: Evaluator['visitAll'] = (context, visit) => {
    for (const { evaluator, needed } of list) {
      const foreign = new Set(needed.map(({ key }) => key));
      evaluator.visitAll(context, (flagKey, result) => {
        if (!foreign.has(flagKey)) visit(flagKey, result);
      });
    }
  };
  return {
    ruleset,
    evaluate: (flagKey, context) => of(flagKey).evaluator.evaluate(flagKey, context),
    explain: (flagKey, context) => of(flagKey).evaluator.explain(flagKey, context),
    visitAll,
    evaluateAll(context) {
      const results: ReturnType<Evaluator['evaluateAll']> = Object.create(null);
      visitAll(context, (flagKey, result) => {
        results[flagKey] = result;
      });
      return results;
    },
  };
}

function createPage(
  { ruleset, segments }: { readonly ruleset: Ruleset; readonly segments: SegmentConditions },
  flags: readonly Flag[],
  led: ReadonlyMap<string, Flag | undefined>,
  next: string | undefined,
  cases: CaseTable,
): Page {
  const needed = [...led.values()].filter((flag) => flag !== undefined);
  const all = [...flags, ...needed];
  // An evaluator prepares all segments that it has.
  const named = segmentKeysOf(all);
  const asked = ruleset.segments.filter(({ key }) => named.has(key));
  const evaluator = createEvaluator({ ...ruleset, flags: all, segments: asked }, { createRuleIndex });
  const patterns = createPatternLoad(all, segments);
  const json = Buffer.from(flags.map(jsonOf).join(','));
  let msgpack: Uint8Array | undefined;
  return {
    flags,
    leadsTo: new Set(led.keys()),
    needed,
    next,
    evaluator,
    answers: createPageAnswers(evaluator, { flags, needed, patterns }, cases),
    patterns,
    json,
    digest: createHash('sha256').update(json).digest(),
    msgpack() {
      msgpack ??= Buffer.concat(flags.map((flag) => encode(flag, { ignoreUndefined: true })));
      return msgpack;
    },
    exposing: flags.filter((flag) => flag.track_exposures).map(({ key }) => key),
  };
}

/**
 * Where pages begin and end, and which of the known ones are left over; undefined when the flags are not in the order of
 * their keys, and have to stay together. A page's end depends on the keys around it alone, so that a flag that comes or
 * goes moves the ends next to it and no others. Both lists are walked side by side.
 */
function findRuns(
  flags: readonly Flag[],
  known: readonly Page[],
  segments: SegmentConditions,
): { readonly runs: readonly Run[]; readonly gone: readonly Page[] } | undefined {
  const runs: Run[] = [];
  const gone: Page[] = [];
  let from = 0;
  let next = 0;
  do {
    for (; next < known.length && isBehind(known[next]!, flags[from]); next++) gone.push(known[next]!);
    const page = known[next];
    const before = page !== undefined && isAt(page, flags, from) ? page : undefined;
    if (before !== undefined) next += 1;
    const to = before === undefined ? findEnd(flags, from, segments) : from + before.flags.length;
    if (to === undefined) return undefined;
    runs.push({ from, to, before });
    from = to;
  } while (from < flags.length);
  return { runs, gone: [...gone, ...known.slice(next)] };
}

/** Whether the page begins before the flag. */
function isBehind({ flags: [first] }: Page, flag: Flag | undefined): boolean {
  return first !== flag && first !== undefined && flag !== undefined && first.key < flag.key;
}

/** A loop of its own: all flags pass here with each version. */
function isAt({ flags: own, next }: Page, flags: readonly Flag[], from: number): boolean {
  const { length } = own;
  if (own[0] !== flags[from] || next !== flags[from + length]?.key) return false;
  for (let place = 1; place < length; place++) if (own[place] !== flags[from + place]) return false;
  return true;
}

/** Keys whose flags came, went or are others now. */
function keysChanged(
  flags: readonly Flag[],
  runs: readonly Run[],
  gone: readonly Page[],
): ReadonlySet<string> {
  const differing = new Set(gone.flatMap((page) => page.flags));
  for (const { from, to, before } of runs) {
    if (before !== undefined) continue;
    for (const flag of flags.slice(from, to)) if (!differing.delete(flag)) differing.add(flag);
  }
  return new Set([...differing].map(keyOf));
}

/** By the page's own flags and the key behind them alone, so that the same flags are the same pages everywhere. */
function findEnd(flags: readonly Flag[], from: number, segments: SegmentConditions): number | undefined {
  let weight = 0;
  for (let to = from + 1; to < flags.length; to++) {
    const { key } = flags[to]!;
    const last = flags[to - 1]!;
    if (!(last.key < key)) return undefined;
    for (const one of ownWeights(last, segments).values()) weight += one;
    const size = to - from;
    if (weight >= PAGE_WEIGHT_MAX) return to;
    if (size >= PAGE_MAX || (size >= PAGE_MIN && bucket('page', key, 2) < PAGE_STARTS)) return to;
  }
  return flags.length;
}

/**
 * What the prerequisites of these flags lead to and is none of them, by key; undefined where there is no such flag. All
 * flags are in order.
 */
function leadsTo(own: readonly Flag[], all: readonly Flag[]): ReadonlyMap<string, Flag | undefined> {
  const found = new Map<string, Flag | undefined>();
  const keys = new Set(own.map(keyOf));
  const follow = ({ prerequisites }: Flag): void => {
    for (const { flag_key } of prerequisites ?? []) {
      if (keys.has(flag_key) || found.has(flag_key)) continue;
      const other = all[lastUpTo(all, flag_key, keyOf)];
      found.set(flag_key, other?.key === flag_key ? other : undefined);
    }
  };
  own.forEach(follow);
  // Walks those that it adds, too.
  for (const flag of found.values()) if (flag !== undefined) follow(flag);
  return found;
}

const keyOf = ({ key }: Flag): string => key;
const itself = (key: string): string => key;

/** True when something is in both. */
function doMeet(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size === 0) return false;
  const [few, many] = left.size < right.size ? [left, right] : [right, left];
  for (const key of few) if (many.has(key)) return true;
  return false;
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

const texts = new WeakMap<Flag, string>();

/** Of a page that has changed most flags are the same objects, and so are their texts. */
function jsonOf(flag: Flag): string {
  let text = texts.get(flag);
  if (text === undefined) {
    text = canonicalJson(flag as unknown as Json);
    texts.set(flag, text);
  }
  return text;
}
