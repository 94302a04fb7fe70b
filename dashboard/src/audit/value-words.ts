import type { AuditEntry } from '../api/types.ts';
import type { Condition } from '../app/conditions/condition.ts';
import { conditionsText } from '../app/conditions/condition-words.ts';
import { type DiffLine, fieldWords, linesOf, valueWords } from '../ui/diff.tsx';
import { t } from './messages.ts';

type Fields = Readonly<Record<string, unknown>>;
type NameOf = (id: string | null) => string | undefined;

/** The fields of a change in words. What a new thing was made without is left out. */
export function changeLines({ changes, action }: AuditEntry, nameOf: NameOf): readonly DiffLine[] {
  const lines = linesOf(changes, (field, value) =>
    field.endsWith('_id') && typeof value === 'string' ? (nameOf(value) ?? value) : words(value),
  );
  return action.endsWith('.created') ? lines.filter(({ to }) => to !== valueWords('')) : lines;
}

/** A value of the API: rules and conditions as sentences, variations by key, other things by their fields. */
function words(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? valueWords(value) : value.map(words).join(', ');
  return typeof value === 'object' && value !== null ? objectWords(value as Fields) : valueWords(value);
}

function objectWords(fields: Fields): string {
  const { conditions, percentage_rollout: split, variation, flag_key: flag, message, key } = fields;
  if (Array.isArray(conditions)) return ruleWords(conditions as readonly Condition[], fields);
  if (typeof flag === 'string') return t.serves(flag, String(variation));
  if (typeof fields.attribute === 'string') return conditionsText([fields as unknown as Condition]);
  if (typeof fields.percentage === 'number') return t.share(fields.percentage, String(variation));
  if (typeof message === 'string') return message;
  if (typeof key === 'string') return key;
  return Object.entries(split === undefined ? fields : { split })
    .map(([name, value]) => `${fieldWords(name)}: ${words(value)}`)
    .join(', ');
}

function ruleWords(conditions: readonly Condition[], rule: Fields): string {
  const { name, variation, percentage_rollout: split } = rule;
  const served = Array.isArray(split) && split.length > 0 ? words(split) : String(variation ?? '');
  const sentence = t.rule(conditions.length === 0 ? '' : conditionsText(conditions), served);
  return typeof name === 'string' && name !== '' ? `${name}: ${sentence}` : sentence;
}
