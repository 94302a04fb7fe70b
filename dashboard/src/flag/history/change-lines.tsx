import type { Changes, Flag } from '../../api/types.ts';
import { type DiffLine, linesOf } from '../../ui/diff.tsx';
import { type Config, configOf } from '../rules/config.ts';
import { differenceLine } from '../rules/difference-lines.tsx';
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
  const differences = differencesOf(side('from'), side('to')).map((one) => differenceLine(one, names));
  return [...differences, ...linesOf(withoutSideEffects(others))];
}

/** A stale flag becomes active by any change, which says nothing new. */
function withoutSideEffects(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([field]) => !field.startsWith('stale_')));
}
