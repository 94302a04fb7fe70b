import type { Changes } from '../../write-gate/diff.ts';
import type { SaferKind } from './freeze-scope.ts';

interface Rule {
  readonly id: string;
  readonly percentage_rollout?: readonly { readonly variation: string; readonly percentage: number }[];
}

/**
 * How a change of a flag reduces risk: `disable` if it only switches the flag off, `rollout_decrease` if it only moves
 * users of rollouts to the default variation. Undefined for every other change.
 */
export function saferKind(changes: Changes, defaultVariation: unknown): SaferKind | undefined {
  const [field, ...others] = Object.keys(changes).filter((name) => !isSideEffect(name, changes));
  if (field === undefined || others.length > 0) return undefined;
  if (field === 'enabled' && changes[field]?.to === false) return 'disable';
  if (field !== 'targeting_rules') return undefined;
  const { from, to } = changes[field]!;
  if (!Array.isArray(from) || !Array.isArray(to)) return undefined;
  return isDecrease(from as Rule[], to as Rule[], defaultVariation) ? 'rollout_decrease' : undefined;
}

/**
 * True for a field that changes only as a side effect: a stale flag becomes active again when, for example, its rules
 * change.
 */
function isSideEffect(name: string, changes: Changes): boolean {
  if (name.startsWith('stale_')) return true;
  return name === 'status' && changes[name]?.from === 'stale' && changes[name].to === 'active';
}

function isDecrease(before: readonly Rule[], after: readonly Rule[], defaultVariation: unknown): boolean {
  // Adding, removing or moving rules changes more than the size of rollouts.
  if (before.length !== after.length || before.length === 0) return false;
  return before.every((rule, index) => {
    const then = after[index]!;
    if (!isSameExceptRollout(rule, then)) return false;
    const earlier = servedOf(rule, defaultVariation);
    return servedOf(then, defaultVariation).every(
      (variation, bucket) => variation === defaultVariation || variation === earlier[bucket],
    );
  });
}

function isSameExceptRollout(left: Rule, right: Rule): boolean {
  const { percentage_rollout: first, ...one } = left;
  const { percentage_rollout: second, ...other } = right;
  return first !== undefined && second !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

/** The variation that each of the hundred buckets gets; buckets that no entry covers get the default (EV-52). */
function servedOf(rule: Rule, defaultVariation: unknown): readonly unknown[] {
  const served = (rule.percentage_rollout ?? []).flatMap(({ variation, percentage }) =>
    Array<string>(percentage).fill(variation),
  );
  return Array.from({ length: 100 }, (_, bucket) => served[bucket] ?? defaultVariation);
}
