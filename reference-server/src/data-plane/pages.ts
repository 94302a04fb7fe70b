import { createEvaluator, type Evaluator, type Flag, hash, type Json, type Ruleset } from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { encode } from '@msgpack/msgpack';
import { canonicalJson } from './canonical-json.ts';
import { lastUpTo } from './in-order.ts';
import { createPageAnswers, type PageAnswers } from './page-answers.ts';
import type { Turn } from './turn.ts';

/** Some flags that lie side by side, and all that is made from them. Versions in which they are the same share it. */
export interface Page {
  readonly flags: readonly Flag[];
  /** Flags of other pages that the prerequisites of these lead to. */
  readonly needed: readonly Flag[];
  /** The key of the flag behind the last one, if there is one. */
  readonly next: string | undefined;
  /** Has `flags` and `needed`. */
  readonly evaluator: Evaluator;
  readonly answers: PageAnswers;
  /** The flags' canonical JSON, with commas between. */
  readonly json: Uint8Array;
  /** The flags in MessagePack, one after the other; made when first asked for, then kept. */
  msgpack(): Uint8Array;
  /** Keys of the flags whose exposures should be reported. */
  readonly exposing: readonly string[];
}

/** A ruleset in pages, so that a change costs what it changes (decision 0108). */
export interface Pages {
  readonly ruleset: Ruleset;
  /** At least one. */
  readonly list: readonly Page[];
  /** The page that has the flag, if there is such a flag. */
  of(flagKey: string): Page;
}

const PAGE_MIN = 32;
const PAGE_MAX = 128;
/** One key of so many begins a page. */
const PAGE_USUAL = 64;

/** Takes over from `previous` every page whose flags, and what these depend on, are the same objects. */
export async function createPages(ruleset: Ruleset, previous: Pages | undefined, turn: Turn): Promise<Pages> {
  const { flags } = ruleset;
  const known = new Map<Flag | undefined, Page>();
  if (previous !== undefined && isSame(previous.ruleset.segments, ruleset.segments)) {
    for (const page of previous.list) known.set(page.flags[0], page);
  }
  const ends = findEnds(flags, known);
  const list: Page[] = [];
  let from = 0;
  for (const to of ends ?? [flags.length]) {
    const page = known.get(flags[from]);
    const own = flags.slice(from, to);
    const needed = ends === undefined ? [] : neededBy(own, flags);
    const isKnown = page !== undefined && isSame(page.flags, own) && isSame(page.needed, needed);
    list.push(isKnown ? page : createPage(ruleset, own, needed, flags[to]?.key));
    from = to;
    if (turn.isOver()) await turn.giveWay();
  }
  const keys = list.map((page) => page.flags[0]?.key ?? '');
  return { ruleset, list, of: (flagKey) => list[lastUpTo(keys, flagKey, itself)] ?? list[0]! };
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
  ruleset: Ruleset,
  flags: readonly Flag[],
  needed: readonly Flag[],
  next: string | undefined,
): Page {
  const evaluator = createEvaluator({ ...ruleset, flags: [...flags, ...needed] }, { createRuleIndex });
  let msgpack: Uint8Array | undefined;
  return {
    flags,
    needed,
    next,
    evaluator,
    answers: createPageAnswers(evaluator, flags, needed),
    json: Buffer.from(flags.map(jsonOf).join(',')),
    msgpack() {
      msgpack ??= Buffer.concat(flags.map((flag) => encode(flag, { ignoreUndefined: true })));
      return msgpack;
    },
    exposing: flags.filter((flag) => flag.track_exposures).map(({ key }) => key),
  };
}

/**
 * Where pages end; undefined when the flags are not in the order of their keys, and have to stay together. A page's
 * end depends on the keys around it alone, so that a flag that comes or goes moves the ends next to it and no others.
 */
function findEnds(
  flags: readonly Flag[],
  known: ReadonlyMap<Flag | undefined, Page>,
): readonly number[] | undefined {
  const ends: number[] = [];
  let from = 0;
  do {
    const page = known.get(flags[from]);
    const to = from + (page?.flags.length ?? 0);
    const isKnown =
      page !== undefined &&
      page.next === flags[to]?.key &&
      page.flags.every((flag, index) => flag === flags[from + index]);
    const end = isKnown ? to : findEnd(flags, from);
    if (end === undefined) return undefined;
    ends.push(end);
    from = end;
  } while (from < flags.length);
  return ends;
}

function findEnd(flags: readonly Flag[], from: number): number | undefined {
  for (let to = from + 1; to < flags.length; to++) {
    const { key } = flags[to]!;
    if (!(flags[to - 1]!.key < key)) return undefined;
    const size = to - from;
    if (size >= PAGE_MAX || (size >= PAGE_MIN && hash(key) % PAGE_USUAL === 0)) return to;
  }
  return flags.length;
}

/** The flags to which the prerequisites of these lead, and which are none of them. All flags are in order. */
function neededBy(own: readonly Flag[], all: readonly Flag[]): readonly Flag[] {
  if (!own.some((flag) => flag.prerequisites !== undefined)) return [];
  const found = new Set(own);
  // Walks those that it adds, too.
  for (const flag of found) {
    for (const { flag_key } of flag.prerequisites ?? []) {
      const other = all[lastUpTo(all, flag_key, keyOf)];
      if (other?.key === flag_key) found.add(other);
    }
  }
  return [...found].slice(own.length);
}

const keyOf = ({ key }: Flag): string => key;
const itself = (key: string): string => key;

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
