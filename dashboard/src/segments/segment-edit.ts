import type { Segment } from '../api/types.ts';
import { isComplete } from '../app/conditions/condition.ts';
import { type DiffLine, valueWords } from '../ui/diff.tsx';
import { compareKeys } from './keys.ts';
import { t } from './messages.ts';
import { sentenceOf } from './segment-words.ts';

/** What can be changed of a segment. */
export type Edit = Pick<Segment, 'name' | 'description' | 'tags' | 'conditions' | 'included' | 'excluded'>;

export function editOf(segment: Segment): Edit {
  const { name, description, tags, conditions, included, excluded } = segment;
  return { name, description, tags, conditions, included, excluded };
}

/** Only the fields that differ. */
export function changedFields(edit: Edit, segment: Segment): Partial<Edit> {
  const before = editOf(segment);
  const changed = Object.entries(edit).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Edit]),
  );
  return Object.fromEntries(changed);
}

/** What differs, in words; lists by how many keys came and went. */
export function changedLines(edit: Edit, segment: Segment): readonly DiffLine[] {
  return (Object.keys(changedFields(edit, segment)) as (keyof Edit)[]).map((field) =>
    fieldLine(field, editOf(segment), edit),
  );
}

/** One field before and after, in words. */
export function fieldLine(field: keyof Edit, before: Edit, after: Edit): DiffLine {
  if (field === 'included' || field === 'excluded') {
    const { added, removed } = compareKeys(before[field] ?? [], after[field] ?? []);
    return { id: field, what: t[field], words: t.addedRemoved(added, removed) || t.noKeys };
  }
  if (field === 'conditions')
    return {
      id: field,
      what: t.conditions,
      from: sentenceOf(before.conditions, before.included !== null),
      to: sentenceOf(after.conditions, after.included !== null),
    };
  return { id: field, what: t.fields[field], from: valueWords(before[field]), to: valueWords(after[field]) };
}

/** Why it cannot be saved yet. */
export function editFault(edit: Edit): string | undefined {
  if (edit.name.trim() === '') return t.nameFirst;
  return edit.conditions.every(isComplete) ? undefined : t.attributeFirst;
}
