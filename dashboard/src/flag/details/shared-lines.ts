import { formatDay } from '../../i18n/format-time.ts';
import type { DiffLine } from '../../ui/diff.tsx';
import { valueText } from '../variations/values.ts';
import { t } from './messages.ts';
import type { SharedDifference, SharedField } from './shared.ts';

/** A difference of what all environments share, in the words of the page. */
export function sharedLine(
  difference: SharedDifference,
  memberName: (id: string | null) => string | undefined,
): DiffLine {
  const { id, kind } = difference;
  switch (kind) {
    case 'field': {
      const words = (value: unknown) => fieldWords(difference.field, value, memberName);
      return { id, what: t.fields[difference.field], from: words(difference.from), to: words(difference.to) };
    }
    case 'added':
    case 'removed': {
      const { key, name, value, text } = difference.variation;
      const words = text ?? valueText(value);
      const what = `${t.variation(name || key)} ${t[kind]}`;
      return kind === 'added' ? { id, what, to: words } : { id, what, from: words };
    }
    case 'value':
      return {
        id,
        what: t.variationValue(difference.to.key),
        from: valueText(difference.from.value),
        to: difference.to.text ?? valueText(difference.to.value),
      };
    default: {
      const what =
        kind === 'name' ? t.variationName(difference.to.key) : t.variationDescription(difference.to.key);
      return { id, what, from: difference.from[kind] || t.empty, to: difference.to[kind] || t.empty };
    }
  }
}

function fieldWords(
  field: SharedField,
  value: unknown,
  memberName: (id: string | null) => string | undefined,
): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (field === 'stale_after_days') return value === null ? t.asProject : t.days(Number(value));
  if (value === null || value === '') return field === 'owner_id' ? t.nobody : t.empty;
  if (Array.isArray(value)) return value.join(', ') || t.empty;
  const text = String(value);
  if (field === 'owner_id') return memberName(text) ?? text;
  if (field === 'expected_end_at') return formatDay(text, Date.now());
  return field === 'classification' ? t.kinds[text as keyof typeof t.kinds] : text;
}
