import { Fragment, type ReactNode } from 'react';
import type { Changes, Flag } from '../../api/types.ts';
import { t as changeText } from '../../app/change-words/messages.ts';
import { type DiffLine, linesOf, valueWords } from '../../ui/diff.tsx';
import { sharedDifferences, sharedOf } from '../details/shared.ts';
import { sharedLine } from '../details/shared-lines.ts';
import { FlagName, MemberName } from '../flag-name.tsx';
import { t } from '../messages.ts';
import { type Config, configOf } from '../rules/config.ts';
import { differenceLine, type RuleLabel } from '../rules/difference-lines.tsx';
import { differencesOf } from '../rules/differences.ts';
import type { Names } from '../rules/rule-sentence.tsx';

type Rules = Flag['targeting_rules'];

/** Changes of a flag as lines; those of rules and of the default in the words of the rules. */
export function changeLines(changes: Changes, flag: Flag, names: Names): readonly DiffLine[] {
  const { targeting_rules: rules, default_variation: fallback, variations, ...others } = changes;
  const side = (name: 'from' | 'to'): Config =>
    configOf({
      targeting_rules: rules === undefined ? [] : ((rules[name] as Rules | null) ?? []),
      default_variation: fallback === undefined ? flag.default_variation : String(fallback[name] ?? ''),
    });
  const differences = differencesOf(side('from'), side('to')).map((one) =>
    differenceLine(one, names, labelOf(flag)),
  );
  const fields = linesOf(withoutSideEffects(others), fieldValue);
  return [
    ...differences,
    ...(variations === undefined ? [] : variationLines(variations, flag)),
    ...fields.map((line) => ({ ...line, what: changeText.fields[line.id] ?? line.what })),
  ];
}

function variationLines({ from, to }: Changes[string], flag: Flag): readonly DiffLine[] {
  const side = (variations: unknown) =>
    sharedOf({ ...flag, variations: (variations as Flag['variations'] | null) ?? [] });
  return sharedDifferences(side(from), side(to)).map((one) => sharedLine(one, () => undefined));
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

/** Values that are keys or ids of other things get their names. */
function fieldValue(field: string, value: unknown): ReactNode {
  if (field === 'owner_id' && typeof value === 'string') return <MemberName id={value} />;
  if (field !== 'prerequisites' || !Array.isArray(value) || value.length === 0) return valueWords(value);
  const needs = value as readonly { readonly flag_key: string; readonly variation: string }[];
  return needs.map(({ flag_key: key, variation }, index) => (
    <Fragment key={key}>
      {index > 0 && ', '}
      <FlagName flagKey={key} /> {t.needs.serves} {variation}
    </Fragment>
  ));
}
