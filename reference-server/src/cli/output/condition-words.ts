import { type Condition, SEGMENT, sameText } from '../input/condition-values.ts';

/** Conditions as people type them for `--when`, joined by "and". */
export function renderConditions({ conditions }: { readonly conditions: readonly Condition[] }): string {
  return conditions.length === 0 ? 'always' : conditions.map(conditionWords).join(' and ');
}

/** A condition as people type it for `--when`: `plan one_of pro,team`, `in segment beta`. */
export function conditionWords({ attribute, operator, value }: Condition): string {
  const values = (Array.isArray(value) ? value : [value]) as readonly (string | number | boolean)[];
  if (attribute === SEGMENT) {
    const isOutside = operator === 'not_one_of' || operator === 'is_not';
    return `${isOutside ? 'not ' : ''}in segment ${values.join(isOutside ? ' nor ' : ' or ')}`;
  }
  const name = /^[^\s"]+$/.test(attribute) ? attribute : JSON.stringify(attribute);
  return `${name} ${operator} ${valueWords(operator, value, values)}`;
}

function valueWords(
  operator: Condition['operator'],
  value: Condition['value'],
  values: readonly (string | number | boolean)[],
): string {
  const words = values.map((one) =>
    typeof one === 'string' && /^[^\s",]+$/.test(one) && sameText(operator, one) ? one : JSON.stringify(one),
  );
  const isPlain = values.every((one) => typeof one !== 'string' || !one.includes(','));
  return Array.isArray(value) && (!isPlain || values.length === 0 || words[0]!.startsWith('['))
    ? JSON.stringify(value)
    : words.join(',');
}
