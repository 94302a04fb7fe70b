import type { Flag } from '../client/document.ts';
import { renderFields, renderTable } from './table.ts';

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
  const rules = renderTable(
    flag.targeting_rules,
    [
      { head: 'RULE', cell: ({ priority }) => priority, align: 'right' },
      { head: 'NAME', cell: ({ name }) => name },
      { head: 'WHEN', cell: renderConditions },
      { head: 'SERVES', cell: renderTarget },
      { head: 'ID', cell: ({ id }) => id },
    ],
    terminalColumns,
  );
  const hasRules = flag.targeting_rules.length > 0;
  return `${head}\n${variations}\n${hasRules ? rules : 'No rules: every user gets the default variation.\n'}`;
}

/** The conditions of a rule or segment. */
export function renderConditions({ conditions }: Pick<Rule, 'conditions'>): string {
  if (conditions.length === 0) return 'always';
  return conditions
    .map(({ attribute, operator, value }) => `${attribute} ${operator} ${JSON.stringify(value)}`)
    .join(' and ');
}

/** What a rule serves. */
export function renderTarget({
  variation,
  percentage_rollout,
}: Pick<Rule, 'variation' | 'percentage_rollout'>): string {
  return (
    variation ?? (percentage_rollout ?? []).map((one) => `${one.variation} ${one.percentage}%`).join(', ')
  );
}
