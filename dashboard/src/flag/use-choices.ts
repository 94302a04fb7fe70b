import { useMemo } from 'react';
import type { Flag } from '../api/types.ts';
import type { Choices } from '../app/conditions/condition-editor.tsx';
import { useConditionChoices } from '../app/conditions/use-choices.ts';
import type { Config } from './rules/config.ts';
import type { Names } from './rules/rule-sentence.tsx';
import { seriesOf } from './state-words.ts';

/** What the fields of a rule offer, and how variations and segments are called. */
export function useChoices(flag: Flag, config: Config): { readonly choices: Choices; readonly names: Names } {
  const conditions = useMemo(() => config.rules.flatMap((rule) => rule.conditions), [config.rules]);
  const choices = useConditionChoices(conditions);
  const names = useMemo(
    (): Names => ({
      variation: (key) => flag.variations.find((one) => one.key === key)?.name || key,
      series: seriesOf(flag),
      segment: (key) => choices.segments.find((one) => one.key === key)?.name || key,
    }),
    [flag, choices.segments],
  );
  return { choices, names };
}
