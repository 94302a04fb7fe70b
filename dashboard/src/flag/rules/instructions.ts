import type { components } from '@flagsvc/openapi';
import type { Config, Need, Rule } from './config.ts';
import { withoutEmpty } from './shares.ts';

export type Instruction = components['schemas']['PatchFlagBody']['instructions'][number];

/** The instructions that lead from the saved state to the edited one; empty when both are the same. */
export function instructionsOf(saved: Config, edited: Config): readonly Instruction[] {
  const kept = new Set(edited.rules.map(({ id }) => id));
  const before = new Map(saved.rules.map((rule) => [rule.id, rule]));
  const removed = saved.rules.filter(({ id }) => !kept.has(id));
  const existing = edited.rules.filter(({ id }) => before.has(id));
  return [
    ...(saved.fallback === edited.fallback
      ? []
      : [{ op: 'set_default' as const, variation: edited.fallback }]),
    ...removed.map(({ id }) => ({ op: 'remove_rule' as const, rule_id: id })),
    ...existing.flatMap((rule) => updateOf(before.get(rule.id)!, rule, saved.fallback !== edited.fallback)),
    ...movesOf(
      saved.rules.filter(({ id }) => kept.has(id)).map(({ id }) => id),
      existing.map(({ id }) => id),
    ),
    ...edited.rules.flatMap((rule, index) =>
      before.has(rule.id)
        ? []
        : [
            {
              op: 'add_rule' as const,
              rule: bodyOf(rule),
              before_rule_id: edited.rules.slice(index + 1).find(({ id }) => before.has(id))?.id ?? null,
            },
          ],
    ),
    ...needsOf(saved, edited),
  ];
}

function needsOf(saved: Config, edited: Config): readonly Instruction[] {
  const isIn = (config: Config, need: Need) =>
    config.needs.some((one) => one.flag_key === need.flag_key && one.variation === need.variation);
  const removed = saved.needs.filter(({ flag_key: key }) =>
    edited.needs.every((one) => one.flag_key !== key),
  );
  return [
    ...removed.map(({ flag_key }) => ({ op: 'remove_prerequisite' as const, flag_key })),
    ...edited.needs
      .filter((need) => !isIn(saved, need))
      .map((need) => ({ op: 'add_prerequisite' as const, ...need })),
  ];
}

function bodyOf(rule: Rule): NonNullable<Instruction['rule']> {
  return { name: rule.name, conditions: [...rule.conditions], ...servedBy(rule) };
}

function servedBy({ variation, shares }: Rule) {
  return shares === undefined ? { variation: variation! } : { percentage_rollout: [...withoutEmpty(shares)] };
}

/** A share that the old default filled up is written out when the default changes, so that it stays as it is shown. */
function updateOf(before: Rule, after: Rule, isNewDefault: boolean): readonly Instruction[] {
  const mustFill = isNewDefault && after.isFilled === true && after.shares !== undefined;
  const isServedAnew = after.units === undefined && (mustFill || !isSame(servedBy(before), servedBy(after)));
  const change = {
    ...(before.name !== after.name && { name: after.name }),
    ...(!isSame(before.conditions, after.conditions) && { conditions: [...after.conditions] }),
    ...(isServedAnew && servedBy(after)),
  };
  return Object.keys(change).length === 0 ? [] : [{ op: 'update_rule', rule_id: after.id, ...change }];
}

/** Moves from one order of the same ids to another, as few as possible. */
function movesOf(from: readonly string[], to: readonly string[]): readonly Instruction[] {
  const moved = new Set(movedIds(from, to));
  return to
    .map(
      (rule_id, index): Instruction => ({ op: 'move_rule', rule_id, before_rule_id: to[index + 1] ?? null }),
    )
    .filter(({ rule_id }) => moved.has(rule_id!))
    .reverse();
}

/** The ids whose place among the others changed: the fewest that explain the new order. Ids of one list only are left out. */
export function movedIds(from: readonly string[], to: readonly string[]): readonly string[] {
  const place = new Map(from.map((id, index) => [id, index]));
  const common = to.filter((id) => place.has(id));
  // The longest part of the new order that is in the old order too stays; `best[i]` ends with `common[i]`.
  const best: string[][] = [];
  for (const [index, id] of common.entries()) {
    const candidates = best.slice(0, index).filter((chain) => place.get(chain.at(-1)!)! < place.get(id)!);
    best.push([...(candidates.toSorted((left, right) => right.length - left.length)[0] ?? []), id]);
  }
  // Where several orders explain it, the later rule moved up: what people do most.
  const length = Math.max(0, ...best.map((chain) => chain.length));
  const stays = new Set(best.findLast((chain) => chain.length === length));
  return common.filter((id) => !stays.has(id));
}

/** Whether two values of the API are the same. */
export const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/** An instruction that changes nothing, to learn what the saved state does. */
export const noChange = (isOn: boolean): Instruction => ({ op: 'set_enabled', enabled: isOn });
