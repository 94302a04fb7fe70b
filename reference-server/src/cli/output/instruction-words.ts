import type { Request } from '../client/document.ts';
import { renderConditions } from './condition-words.ts';

type Instruction = Request<'PATCH /flags/{flag_id}'>['body']['instructions'][number];

/** An instruction in words: `add_rule` with its rule, other operations with what they name. */
export function describeInstruction({ op, enabled, rule, ...rest }: Instruction): string {
  if (op === 'set_enabled') return `turn ${enabled === true ? 'on' : 'off'}`;
  const words = op.replaceAll('_', ' ');
  if (rule !== undefined) return `${words}: ${renderConditions(rule)} serves ${servedBy(rule)}`;
  const shares = rest.percentage_rollout && servedBy(rest);
  const named = [
    rest.rule_id,
    rest.variation,
    rest.new_variation?.key,
    rest.tag,
    rest.flag_key,
    rest.name,
    shares,
  ];
  return [words, ...named.filter((one) => one !== undefined && one !== null)].join(' ');
}

function servedBy({
  variation,
  percentage_rollout: shares,
}: Pick<NonNullable<Instruction['rule']>, 'variation' | 'percentage_rollout'>): string {
  return variation ?? (shares ?? []).map((one) => `${one.variation} ${one.percentage}%`).join(', ');
}
