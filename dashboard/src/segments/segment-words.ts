import type { Condition } from '../app/conditions/condition.ts';
import { conditionsText } from '../app/conditions/condition-words.ts';
import { t } from './messages.ts';

/** `If country is one of NL, BE and plan is pro`. */
export function sentenceOf(conditions: readonly Condition[], hasList: boolean): string {
  if (conditions.length === 0) return hasList ? t.nobodyElse : t.everyone;
  return `${t.if} ${conditionsText(conditions)}`;
}
