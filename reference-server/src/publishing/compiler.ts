import type { Flag, Ruleset } from '@flagsvc/sdk-core';
import { lastUpTo } from '../lib/sorted-list.ts';
import { createTimeSlice } from '../lib/time-slice.ts';
import { compileFlag, type FlagRow, isServed, type SegmentRow } from './compile.ts';
import { compileSegments } from './compile-segments.ts';

/** All rows, or those that changed since the last reading. */
export interface RowsRead {
  readonly environmentId: string;
  readonly version: number;
  /** True if these are all rows; any known row that is not among them has been deleted. */
  readonly isWhole: boolean;
  /** The rows of flags by id; null for a deleted row. */
  readonly flags: ReadonlyMap<string, FlagRow | null>;
  readonly segments: ReadonlyMap<string, SegmentRow | null>;
}

/**
 * Creates a function that compiles an environment incrementally. The result equals `compileRuleset` of all rows, but
 * only changed rows are compiled. Unchanged flags are the same objects as last time, so callers can reuse what they
 * derived from them. Requests run in between. Do not call it again before it has resolved.
 */
export function createCompiler(): (read: RowsRead, fetchedAt: string) => Promise<Ruleset> {
  const rows = { flags: new Map<string, FlagRow>(), segments: new Map<string, SegmentRow>() };
  const compiled = new Map<string, Flag>();
  let segments = compileSegments([]);
  let sorted: readonly Flag[] = [];

  return async (read, fetchedAt) => {
    const slice = createTimeSlice();
    const changed = takeRows(rows.flags, read.flags, read.isWhole);
    if (takeRows(rows.segments, read.segments, read.isWhole).size > 0) {
      const { identity } = segments;
      segments = compileSegments([...rows.segments.values()]);
      // Rules also name the segments compiled from included keys, so all flags have to be compiled again.
      if (segments.identity !== identity) for (const id of rows.flags.keys()) changed.add(id);
    }
    const gone = new Map<string, undefined>();
    const added = new Map<string, Flag>();
    for (const id of changed) {
      const before = compiled.get(id);
      if (before !== undefined) gone.set(before.key, undefined);
      const row = rows.flags.get(id);
      if (row === undefined || !isServed(row)) {
        compiled.delete(id);
      } else {
        const flag = compileFlag(row, segments);
        compiled.set(id, flag);
        added.set(flag.key, flag);
      }
      if (slice.isOver()) await slice.yieldToOthers();
    }
    // Additions win: one flag may have taken the key that another gave up.
    if (changed.size > 0) sorted = merge(sorted, new Map([...gone, ...added]));
    return {
      version: read.version,
      environment_id: read.environmentId,
      flags: sorted,
      segments: segments.segments,
      fetched_at: fetchedAt,
    };
  };
}

/** Replaces, adds or (undefined) removes flags by key in a sorted list. Finds each place by binary search. */
function merge(flags: readonly Flag[], changes: ReadonlyMap<string, Flag | undefined>): readonly Flag[] {
  const merged: Flag[] = [];
  let from = 0;
  const keepUpTo = (end: number): void => {
    for (; from < end; from++) merged.push(flags[from]!);
  };
  for (const key of [...changes.keys()].sort()) {
    const last = lastUpTo(flags, key, keyOf);
    const isThere = flags[last]?.key === key;
    keepUpTo(isThere ? last : last + 1);
    if (isThere) from = last + 1;
    const flag = changes.get(key);
    if (flag !== undefined) merged.push(flag);
  }
  keepUpTo(flags.length);
  return merged;
}

const keyOf = ({ key }: Flag): string => key;

/** Updates `known` from a reading; returns the ids of rows that changed. */
function takeRows<Row extends object>(
  known: Map<string, Row>,
  read: ReadonlyMap<string, Row | null>,
  isWhole: boolean,
): Set<string> {
  const changed = new Set<string>();
  for (const [id, row] of read) {
    const before = known.get(id);
    if (row === null ? before === undefined : before !== undefined && isSameRow(before, row)) continue;
    changed.add(id);
    if (row === null) known.delete(id);
    else known.set(id, row);
  }
  if (!isWhole) return changed;
  for (const id of known.keys()) {
    if (read.has(id)) continue;
    changed.add(id);
    known.delete(id);
  }
  return changed;
}

function isSameRow<Row extends object>(left: Row, right: Row): boolean {
  return (Object.keys(right) as (keyof Row)[]).every((name) => left[name] === right[name]);
}
