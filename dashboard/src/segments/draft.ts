import type { Segment } from '../api/types.ts';
import { type Edit, editOf } from './segment-edit.ts';

type Field = keyof Edit;

/** What a person changed of a segment: only the touched fields, and what they were when they were touched. */
export interface SegmentDraft {
  readonly mine: Partial<Edit>;
  readonly base: Partial<Edit>;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const isKeys = (field: Field): field is 'included' | 'excluded' =>
  field === 'included' || field === 'excluded';

/** The segment with the person's changes. What others changed elsewhere stays, and lists of keys hold both changes. */
export function editWith(segment: Segment, draft: SegmentDraft | undefined): Edit {
  const now = editOf(segment);
  if (draft === undefined) return now;
  const { mine, base } = draft;
  const merged = (Object.keys(mine) as Field[]).filter(isKeys).map((field) => {
    const [before, theirs, ours] = [base[field] ?? null, now[field], mine[field] ?? null];
    const isMerged = !isSame(before, theirs) && before !== null && theirs !== null && ours !== null;
    return [field, isMerged ? mergeKeys(before, theirs, ours) : ours];
  });
  return { ...now, ...mine, ...Object.fromEntries(merged) };
}

/** Their list with what we added, without what we removed. */
function mergeKeys(
  before: readonly string[],
  theirs: readonly string[],
  ours: readonly string[],
): readonly string[] {
  const [old, kept] = [new Set(before), new Set(ours)];
  const left = theirs.filter((key) => kept.has(key) || !old.has(key));
  const present = new Set(left);
  return [...left, ...ours.filter((key) => !old.has(key) && !present.has(key))];
}

/** The draft after a change of some fields; undefined when it no longer differs from the segment. */
export function draftWith(
  segment: Segment,
  draft: SegmentDraft | undefined,
  part: Partial<Edit>,
): SegmentDraft | undefined {
  const now = editOf(segment);
  const edit = { ...editWith(segment, draft), ...part };
  const touched = [...new Set([...Object.keys(draft?.mine ?? {}), ...Object.keys(part)])] as Field[];
  const left = touched.filter((field) => !isSame(edit[field], now[field]));
  if (left.length === 0) return undefined;
  const conflicts = new Set(conflictsOf(segment, draft).filter((field) => !(field in part)));
  return {
    mine: Object.fromEntries(left.map((field) => [field, edit[field]])),
    base: Object.fromEntries(
      left.map((field) => [field, conflicts.has(field) ? draft!.base[field] : now[field]]),
    ),
  };
}

/** Fields that somebody else changed since the person did, other than lists of keys, which hold both. */
export function conflictsOf(segment: Segment, draft: SegmentDraft | undefined): readonly Field[] {
  if (draft === undefined) return [];
  const now = editOf(segment);
  return (Object.keys(draft.mine) as Field[]).filter((field) => {
    const areLists = isKeys(field) && [draft.base, draft.mine, now].every((one) => Array.isArray(one[field]));
    return !areLists && !isSame(draft.base[field], now[field]) && !isSame(draft.mine[field], now[field]);
  });
}
