import type { Context, Flag } from '@flagsvc/sdk-core';
import {
  type AddMembers,
  type AddVarying,
  createAddMembers,
  createAddVarying,
  type FlagGroup,
} from './flag-members.ts';
import {
  findMatchers,
  type MatchedRules,
  matchRule,
  type RuleMatcher,
  type RuleMatchers,
} from './rule-matchers.ts';

/** Maximum number of entries of one chunk. */
const ENTRIES_MAX = 32;
/** Maximum number of flags in all entries of one ruleset, over all chunks. */
const ENTRY_FLAGS_MAX = 64_000;
/** A full cache is dropped when its misses exceed its hits by more than this. */
const MISS_MARGIN = 1_000;

/** What the outcome caches of a ruleset's chunks share. */
export interface SharedCache {
  readonly entriesPerChunk: number;
  readonly matchers: RuleMatchers;
}

/** Reuses the matchers of the previous version, unless most of them belong to deleted flags. */
export function createSharedCache(flagCount: number, previous?: SharedCache): SharedCache {
  const entriesPerChunk = Math.min(ENTRIES_MAX, Math.floor(ENTRY_FLAGS_MAX / Math.max(1, flagCount)));
  const matchers = previous?.matchers;
  return { entriesPerChunk, matchers: matchers && matchers.size <= 2 * flagCount ? matchers : new Map() };
}

/** The entries as a tree: each level branches by the rule that one matcher finds. */
interface Node {
  readonly branches: Node[];
  addMembers: AddMembers | undefined;
}

/**
 * Writes the members of a chunk's flags once per combination of deciding rules. Many flags have the same conditions,
 * and users fall into few groups, so the same combinations recur. Once the deciding rules are known, only rollouts and
 * prerequisites are left to evaluate. `addUncached` writes combinations that have no entry.
 */
export function createOutcomeCache(
  group: FlagGroup,
  shared: SharedCache,
  addUncached: AddMembers,
): AddMembers {
  const matched = findMatchers(group, shared.matchers);
  const matchers = [...new Set(Array.from(matched.values(), ({ matcher }) => matcher))];
  if (matchers.length === 0) return addUncached;
  const createEntry = createEntryWriter(group, matched);
  let root: Node | undefined = { branches: [], addMembers: undefined };
  let entries = 0;
  let hits = 0;
  let misses = 0;

  /** Adds an entry for the rules that the matchers have just found. */
  const addEntry = (from: Node): void => {
    let node = from;
    for (const { position } of matchers)
      node = node.branches[position] ??= { branches: [], addMembers: undefined };
    node.addMembers = createEntry();
    entries += 1;
  };

  return (context, into) => {
    if (root === undefined) return addUncached(context, into);
    const addMembers = findEntry(root, matchers, { context, answerId: into.answerId });
    if (addMembers !== undefined) {
      hits += 1;
      return addMembers(context, into);
    }
    if (entries === shared.entriesPerChunk) {
      misses += 1;
      if (misses > hits + MISS_MARGIN) root = undefined;
    } else if (into.mayCache) {
      into.mayCache = false;
      addEntry(root);
    }
    addUncached(context, into);
  };
}

/** Runs every matcher, even when the tree has no further branch, because a new entry needs all positions. */
function findEntry(
  root: Node,
  matchers: readonly RuleMatcher[],
  { context, answerId }: { readonly context: Context; readonly answerId: number },
): AddMembers | undefined {
  let node: Node | undefined = root;
  for (let index = 0; index < matchers.length; index++) {
    const position = matchRule(matchers[index]!, context, answerId);
    node = node?.branches[position];
  }
  return node?.addMembers;
}

/**
 * Creates a function that makes the entry for the rules that the matchers found last. Entries with the same varying
 * flags share one `AddVarying`.
 */
function createEntryWriter(group: FlagGroup, matched: ReadonlyMap<Flag, MatchedRules>): () => AddMembers {
  const known = new Map<string, AddVarying>();
  const createVarying = (varying: FlagGroup): AddVarying => {
    const name = JSON.stringify(varying.flags.map(({ key, targeting_rules }) => [key, targeting_rules]));
    const addVarying = known.get(name) ?? createAddVarying(varying);
    known.set(name, addVarying);
    return addVarying;
  };
  return () => {
    const flags = group.flags.map((flag) => withDecidingRule(flag, matched.get(flag)));
    return createAddMembers({ ...group, flags }, createVarying);
  };
}

/** The flag with only its deciding rule, whose conditions are left out because they are met. */
function withDecidingRule(flag: Flag, matched: MatchedRules | undefined): Flag {
  if (matched === undefined) return flag;
  const rule = matched.rules[matched.matcher.position - 1];
  return { ...flag, targeting_rules: rule === undefined ? [] : [{ ...rule, conditions: [] }] };
}
