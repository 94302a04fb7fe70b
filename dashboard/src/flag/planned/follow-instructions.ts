import {
  addRule,
  type Config,
  editRule,
  fillUp,
  moveRule,
  newId,
  type Rule,
  removeRule,
  withNeed,
} from '../rules/config.ts';
import type { Instruction } from '../rules/instructions.ts';

/** What a planned change leads to: the rules, whether the flag is on, and what is neither. */
export interface Followed {
  readonly config: Config;
  readonly enabled: boolean;
  readonly others: readonly Instruction[];
}

/**
 * The state after the instructions, to show a planned change as a difference. An instruction that no longer fits changes
 * nothing here; the server says why when it runs.
 */
export function followInstructions(
  start: { readonly config: Config; readonly enabled: boolean },
  instructions: readonly Instruction[],
): Followed {
  return instructions.reduce<Followed>(follow, { ...start, others: [] });
}

function follow(state: Followed, step: Instruction): Followed {
  const { config } = state;
  switch (step.op) {
    case 'set_enabled':
      return { ...state, enabled: step.enabled! };
    case 'set_default':
      return { ...state, config: { ...config, fallback: step.variation! } };
    case 'remove_rule':
      return { ...state, config: removeRule(config, step.rule_id!) };
    case 'move_rule':
      return { ...state, config: moveRule(config, step.rule_id!, placeBefore(config, step)) };
    case 'add_rule':
      return { ...state, config: addRule(config, ruleOf(config, step), placeBefore(config, step)) };
    case 'add_prerequisite':
      return { ...state, config: withNeed(config, step.flag_key!, step.variation!) };
    case 'remove_prerequisite':
      return { ...state, config: withNeed(config, step.flag_key!, undefined) };
    case 'update_rule':
    case 'set_rollout':
      return { ...state, config: editRule(config, step.rule_id!, changeOf(config, step)) };
    default:
      return { ...state, others: [...state.others, step] };
  }
}

/** The place that `before_rule_id` means; without it the end, or before the first rule for everyone. */
function placeBefore({ rules }: Config, step: Instruction): number {
  const others = rules.filter(({ id }) => id !== step.rule_id);
  const { before_rule_id: next } = step;
  if (next === undefined && step.op === 'add_rule' && (step.rule?.conditions?.length ?? 0) > 0) {
    const everyone = others.findIndex(({ conditions }) => conditions.length === 0);
    return everyone === -1 ? others.length : everyone;
  }
  const at = others.findIndex(({ id }) => id === next);
  return at === -1 ? others.length : at;
}

function ruleOf({ fallback }: Config, { rule }: Instruction): Rule {
  const { name = '', conditions = [], variation, percentage_rollout: shares } = rule!;
  return {
    id: rule!.id ?? newId(),
    name,
    conditions,
    variation: shares?.length ? undefined : (variation ?? fallback),
    shares: shares?.length ? fillUp(shares, fallback) : undefined,
  };
}

/** Fields stand beside `op`, or in `rule`, which replaces the rule. */
function changeOf({ fallback }: Config, step: Instruction): Partial<Omit<Rule, 'id'>> {
  const { name, conditions, variation, percentage_rollout: shares } = { ...step.rule, ...step };
  return {
    ...(name !== undefined && { name }),
    ...(conditions !== undefined && { conditions }),
    ...(shares?.length
      ? { variation: undefined, shares: fillUp(shares, fallback) }
      : variation != null && { variation, shares: undefined }),
  };
}
