import type { AuditEntry } from '../../api/types.ts';
import { type DiffLine, fieldWords, linesOf, valueWords } from '../../ui/diff.tsx';
import { withMoments } from '../changes/with-moments.ts';
import type { Condition } from '../conditions/condition.ts';
import { conditionsText } from '../conditions/condition-words.ts';
import { t } from './messages.ts';

type Fields = Readonly<Record<string, unknown>>;
type NameOf = (id: string | null) => string | undefined;

/** The fields of a change in words. What a new thing was made without is left out. */
export function changeLines(
  { changes, action }: Pick<AuditEntry, 'changes' | 'action'>,
  nameOf: NameOf,
): readonly DiffLine[] {
  const { variations } = changes;
  const shown = variations === undefined ? changes : { ...changes, variations: differing(variations) };
  const lines = linesOf(shown, (field, value) =>
    field.endsWith('_id') && typeof value === 'string' ? (nameOf(value) ?? value) : words(value),
  );
  const named = lines.map((line) => ({ ...line, what: t.fields[line.id] ?? line.what }));
  return action.endsWith('.created') ? named.filter(({ to }) => to !== valueWords('')) : named;
}

/** The variations without those that are on both sides: a change of one of fifty shows that one. */
function differing({ from, to }: { readonly from?: unknown; readonly to?: unknown }) {
  if (!Array.isArray(from) || !Array.isArray(to)) return { from, to };
  const rest = (side: readonly unknown[], other: readonly unknown[]): readonly unknown[] | null => {
    const known = new Set(other.map((one) => JSON.stringify(one)));
    const left = side.filter((one) => !known.has(JSON.stringify(one)));
    return left.length === 0 ? null : left;
  };
  return { from: rest(from, to), to: rest(to, from) };
}

/** A value of the API: rules and conditions as sentences, variations with their values, other things by their fields. */
function words(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? valueWords(value) : value.map(words).join(', ');
  if (typeof value === 'string') return withMoments(valueWords(value));
  return typeof value === 'object' && value !== null ? objectWords(value as Fields) : valueWords(value);
}

/** What happened: "Flag switched". */
export const actionWords = ({ action }: Pick<AuditEntry, 'action'>): string => t.action(action);

function objectWords(fields: Fields): string {
  const { conditions, percentage_rollout: split, variation, flag_key: flag, message, key } = fields;
  if (Array.isArray(conditions)) return ruleWords(conditions as readonly Condition[], fields);
  if (typeof flag === 'string') return t.serves(flag, String(variation));
  if (typeof fields.attribute === 'string') return conditionsText([fields as unknown as Condition]);
  if (typeof fields.percentage === 'number') return t.share(fields.percentage, String(variation));
  if (typeof message === 'string') return withMoments(message);
  if (typeof fields['action'] === 'string')
    return `${t.action(fields['action'])} ${words(fields['resource'])}`;
  if (typeof key === 'string' && 'value' in fields) return variationWords(key, fields);
  if (typeof key === 'string') return key;
  return Object.entries(split === undefined ? fields : { split })
    .map(([name, value]) => `${fieldWords(name)}: ${words(value)}`)
    .join(', ');
}

function variationWords(key: string, { name, value }: Fields): string {
  const label = typeof name === 'string' && name !== '' && name !== key ? `${name} (${key})` : key;
  return `${label}: ${JSON.stringify(value)}`;
}

function ruleWords(conditions: readonly Condition[], rule: Fields): string {
  const { name, variation, percentage_rollout: split } = rule;
  const served = Array.isArray(split) && split.length > 0 ? words(split) : String(variation ?? '');
  const sentence = t.rule(conditions.length === 0 ? '' : conditionsText(conditions), served);
  return typeof name === 'string' && name !== '' ? `${name}: ${sentence}` : sentence;
}
