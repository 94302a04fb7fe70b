import type { Changes } from '../api/types.ts';
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
export function historyLines(changes: Changes): readonly DiffLine[] {
  return linesOf(changes, wordsOf).map((line) => {
    const change = changes[line.id];
    if (!isKeys(line.id) || !Array.isArray(change?.from) || !Array.isArray(change.to)) return line;
    // If it was a list before, the log has only what came and went.
    return { id: line.id, what: line.what, words: t.addedRemoved(change.to.length, change.from.length) };
  });
}

const isKeys = (field: string): boolean => field === 'included' || field === 'excluded';

function wordsOf(field: string, value: unknown): string {
  if (field === 'conditions' && Array.isArray(value)) return sentenceOf(value as Condition[], false);
  return isKeys(field) && Array.isArray(value) ? t.keys(value.length) : valueWords(value);
}
