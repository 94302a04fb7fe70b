import { formatAnd } from '../../i18n/format-number.ts';
import { t } from '../messages.ts';

/** What a planned change does: "switch on", "60% one-page, 40% classic", "3 changes". */
export function plannedWords(changes: readonly Readonly<Record<string, unknown>>[]): string {
  return formatAnd(changes.map(stepWords));
}

function stepWords(step: Readonly<Record<string, unknown>>): string {
  const { op, enabled, variation, percentage_rollout: rollout } = step;
  if (op === 'set_enabled') return enabled === true ? t.planned.on : t.planned.off;
  if (op === 'set_default') return t.planned.default(String(variation));
  if ((op === 'set_rollout' || op === 'update_rule') && Array.isArray(rollout))
    return (rollout as { variation: string; percentage: number }[])
      .map((share) => `${share.percentage}% ${share.variation}`)
      .join(', ');
  return String(op).replaceAll('_', ' ');
}
