import type { Changes, Flag } from '../../api/types.ts';
import { type DiffLine, linesOf, valueWords } from '../../ui/diff.tsx';
import { t } from '../messages.ts';
import { type Config, configOf } from '../rules/config.ts';
import { differenceLine, type RuleLabel } from '../rules/difference-lines.tsx';
import { differencesOf } from '../rules/differences.ts';
import type { Names } from '../rules/rule-sentence.tsx';

type Rules = Flag['targeting_rules'];

/** Changes of a flag as lines; those of rules and of the default in the words of the rules. */
export function changeLines(changes: Changes, flag: Flag, names: Names): readonly DiffLine[] {
  const { targeting_rules: rules, default_variation: fallback, ...others } = changes;
  const side = (name: 'from' | 'to'): Config =>
    configOf({
      targeting_rules: rules === undefined ? [] : ((rules[name] as Rules | null) ?? []),
      default_variation: fallback === undefined ? flag.default_variation : String(fallback[name] ?? ''),
    });
  const differences = differencesOf(side('from'), side('to')).map((one) =>
    differenceLine(one, names, labelOf(flag)),
  );
  return [...differences, ...linesOf(withoutSideEffects(others), fieldValue)];
}

/** A stale flag becomes active by any change, which says nothing new. */
function withoutSideEffects(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([field]) => !field.startsWith('stale_')));
}

/** The log keeps only the rules that changed, so their places in it say nothing. */
function labelOf(flag: Flag): RuleLabel {
  const places = configOf(flag).rules.map(({ id }) => id);
  return ({ id, name }) => {
    if (name !== '') return t.diff.rule(name);
    const place = places.indexOf(id);
    return place === -1 ? t.diff.someRule : t.rules.rule(place + 1);
  };
}

function fieldValue(field: string, value: unknown): string {
  if (field !== 'prerequisites' || !Array.isArray(value)) return valueWords(value);
  const needs = value as readonly { readonly flag_key: string; readonly variation: string }[];
  return valueWords(needs.map((one) => `${one.flag_key} ${t.needs.serves} ${one.variation}`));
}
