import { isDeepStrictEqual } from 'node:util';

/** The fields of a resource, named as in the API. */
export type Fields = Readonly<Record<string, unknown>>;

/** Each changed field with its value before and after ("Audit history entry"). */
export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

interface Rule {
  readonly id: string;
  readonly priority: number;
}

/** Compares two states. The fields of a created resource change from null, and those of a removed one to null. */
export function diff(before: Fields | null, after: Fields | null): Changes {
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  for (const field of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const from = before?.[field] ?? null;
    const to = after?.[field] ?? null;
    if (isDeepStrictEqual(from, to)) continue;
    const areLists = Array.isArray(from) && Array.isArray(to);
    changes[field] = (areLists && DIFF_LIST[field]?.(from as never, to as never)) || { from, to };
  }
  return changes;
}

/** Fields with long lists, of which only the differing elements are stored. */
const DIFF_LIST: Readonly<
  Record<string, (before: readonly never[], after: readonly never[]) => Changes[string]>
> = {
  targeting_rules: diffRules,
  included: diffKeys,
  excluded: diffKeys,
};

/** The removed and the added user keys. */
function diffKeys(before: readonly string[], after: readonly string[]): Changes[string] {
  const [old, current] = [new Set(before), new Set(after)];
  return { from: before.filter((key) => !current.has(key)), to: after.filter((key) => !old.has(key)) };
}

/** The differing rules by id; all rules when two share a priority, because their order then matters. */
function diffRules(before: readonly Rule[], after: readonly Rule[]): Changes[string] {
  if (hasTies(before) || hasTies(after)) return { from: before, to: after };
  return { from: without(before, after), to: without(after, before) };
}

function hasTies(rules: readonly Rule[]): boolean {
  return new Set(rules.map((rule) => rule.priority)).size < rules.length;
}

function without(rules: readonly Rule[], others: readonly Rule[]): readonly Rule[] {
  const byId = new Map(others.map((rule) => [rule.id, rule]));
  return rules.filter((rule) => !isDeepStrictEqual(rule, byId.get(rule.id)));
}
