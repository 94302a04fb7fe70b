import type { Changes } from '../../write-gate/diff.ts';
import type { SaferKind } from './freeze-scope.ts';

interface Rule {
  readonly id: string;
  readonly percentage_rollout?: readonly { readonly variation: string; readonly percentage: number }[];
}

/**
 * How a change of a flag makes things safer: it does nothing but switch the flag off, or nothing but move users of
 * rollouts to the default variation. Undefined when it does anything else.
 */
export function saferKind(changes: Changes, defaultVariation: unknown): SaferKind | undefined {
  const [field, ...others] = Object.keys(changes).filter((name) => !comesOfItself(name, changes));
  if (field === undefined || others.length > 0) return undefined;
  if (field === 'enabled' && changes[field]?.to === false) return 'disable';
  if (field !== 'targeting_rules') return undefined;
  const { from, to } = changes[field]!;
  if (!Array.isArray(from) || !Array.isArray(to)) return undefined;
  return isDecrease(from as Rule[], to as Rule[], defaultVariation) ? 'rollout_decrease' : undefined;
}

/** A stale flag of which more than the switch is changed is active again. */
function comesOfItself(name: string, changes: Changes): boolean {
  if (name.startsWith('stale_')) return true;
  return name === 'status' && changes[name]?.from === 'stale' && changes[name].to === 'active';
}

function isDecrease(before: readonly Rule[], after: readonly Rule[], defaultVariation: unknown): boolean {
  // Fewer or more rules, or another order, change more than how many users get something.
  if (before.length !== after.length || before.length === 0) return false;
  return before.every((rule, index) => {
    const then = after[index]!;
    if (!sameBesideRollout(rule, then)) return false;
    const earlier = servedOf(rule, defaultVariation);
    return servedOf(then, defaultVariation).every(
      (variation, bucket) => variation === defaultVariation || variation === earlier[bucket],
    );
  });
}

function sameBesideRollout(left: Rule, right: Rule): boolean {
  const { percentage_rollout: first, ...one } = left;
  const { percentage_rollout: second, ...other } = right;
  return first !== undefined && second !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

/** What each of the hundred buckets is served; what no entry covers gets the default (EV-52). */
function servedOf(rule: Rule, defaultVariation: unknown): readonly unknown[] {
  const served = (rule.percentage_rollout ?? []).flatMap(({ variation, percentage }) =>
    Array<string>(percentage).fill(variation),
  );
  return Array.from({ length: 100 }, (_, bucket) => served[bucket] ?? defaultVariation);
}
