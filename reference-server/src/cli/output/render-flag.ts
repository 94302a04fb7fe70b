import type { Flag } from '../client/document.ts';
import { renderConditions } from './condition-words.ts';
import { type Column, renderFields, renderTable } from './table.ts';

type Rule = Flag['targeting_rules'][number];

/** A flag in one environment, as text. */
export function renderFlag(flag: Flag, environment: string, terminalColumns?: number): string {
  const head = renderFields([
    ['flag', flag.key],
    ['name', flag.name],
    ['description', flag.description],
    ['environment', environment],
    ['on', flag.enabled],
    ['status', flag.status],
    ['type', flag.flag_type],
    ['default', flag.default_variation],
    ['tags', flag.tags.join(', ')],
    ['client side', flag.client_side],
    ['exposures', flag.track_exposures],
    ['prerequisites', flag.prerequisites.map((one) => `${one.flag_key}=${one.variation}`).join(', ')],
    ['revision', flag.revision],
    ['updated', flag.updated_at],
    ['id', flag.id],
  ]);
  const variations = renderTable(
    flag.variations,
    [
      { head: 'VARIATION', cell: ({ key }) => key },
      { head: 'NAME', cell: ({ name }) => name },
      { head: 'VALUE', cell: ({ value }) => JSON.stringify(value) },
    ],
    terminalColumns,
  );
  const rules =
    flag.targeting_rules.length > 0
      ? renderRules(flag, terminalColumns)
      : 'No rules: every user gets the default variation.\n';
  return `${head}\n${variations}\n${rules}`;
}

/** The rules of a flag in the order of evaluation, numbered as commands accept them. */
export function renderRules({ targeting_rules: rules }: Flag, terminalColumns?: number): string {
  return renderTable(
    rules.map((rule, index) => ({ ...rule, number: index + 1 })),
    RULES,
    terminalColumns,
  );
}

const RULES: readonly Column<Rule & { readonly number: number }>[] = [
  { head: 'RULE', cell: ({ number }) => number, align: 'right' },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'WHEN', cell: renderConditions },
  { head: 'SERVES', cell: renderTarget },
  { head: 'ID', cell: ({ id }) => id, isExtra: true },
];

/** What a rule serves. */
export function renderTarget({
  variation,
  percentage_rollout,
}: Pick<Rule, 'variation' | 'percentage_rollout'>): string {
  return (
    variation ?? (percentage_rollout ?? []).map((one) => `${one.variation} ${one.percentage}%`).join(', ')
  );
}
