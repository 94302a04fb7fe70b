import type { AuditEntry } from '../api/types.ts';
import type { Condition } from '../app/conditions/condition.ts';
import { conditionsText } from '../app/conditions/condition-words.ts';
import { type DiffLine, linesOf, valueWords } from '../ui/diff.tsx';
import { t } from './messages.ts';

/** `If country is one of NL, BE and plan is pro`. */
export function sentenceOf(conditions: readonly Condition[], hasList: boolean): string {
  if (conditions.length === 0) return hasList ? t.nobodyElse : t.everyone;
  return `${t.if} ${conditionsText(conditions)}`;
}

/** A recorded change: conditions as a sentence, lists by how many keys came and went. */
export function historyLines({
  action,
  changes,
}: Pick<AuditEntry, 'action' | 'changes'>): readonly DiffLine[] {
  const isNew = action.endsWith('.created');
  const lines = linesOf(changes, wordsOf).map((line) => {
    const change = changes[line.id];
    const what = isKeys(line.id) ? t[line.id] : line.what;
    if (!isKeys(line.id) || !Array.isArray(change?.from) || !Array.isArray(change.to))
      return { ...line, what };
    // If it was a list before, the log has only what came and went.
    return { id: line.id, what, words: t.addedRemoved(change.to.length, change.from.length) };
  });
  return isNew ? lines.filter(({ to }) => to !== undefined && !NOTHING.includes(String(to))) : lines;
}

/** What a new segment was made without. */
const NOTHING: readonly string[] = [valueWords(''), t.keys(0), t.everyone];

const isKeys = (field: string): field is 'included' | 'excluded' =>
  field === 'included' || field === 'excluded';

function wordsOf(field: string, value: unknown): string {
  if (field === 'conditions' && Array.isArray(value)) return sentenceOf(value as Condition[], false);
  return isKeys(field) && Array.isArray(value) ? t.keys(value.length) : valueWords(value);
}
