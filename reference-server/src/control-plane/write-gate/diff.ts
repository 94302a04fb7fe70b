import { isDeepStrictEqual } from 'node:util';

/** A resource's fields, as its record shows them. */
export type Fields = Readonly<Record<string, unknown>>;

/** Per changed field its value before and after ("Audit history entry"). */
export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

interface Rule {
  readonly id: string;
  readonly priority: number;
}

/** What differs. A resource that is created comes from nothing, one that is removed goes to nothing. */
export function diff(before: Fields | null, after: Fields | null): Changes {
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  for (const field of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const from = before?.[field] ?? null;
    const to = after?.[field] ?? null;
    if (isDeepStrictEqual(from, to)) continue;
    const areLists = Array.isArray(from) && Array.isArray(to);
    changes[field] = (areLists && LISTS[field]?.(from as never, to as never)) || { from, to };
  }
  return changes;
}

/** Long lists, of which an entry shows only what differs. */
const LISTS: Readonly<
  Record<string, (before: readonly never[], after: readonly never[]) => Changes[string]>
> = {
  targeting_rules: diffRules,
  included: diffKeys,
  excluded: diffKeys,
};

/** Only the user keys that went and came. */
function diffKeys(before: readonly string[], after: readonly string[]): Changes[string] {
  const [known, wanted] = [new Set(before), new Set(after)];
  return { from: before.filter((key) => !wanted.has(key)), to: after.filter((key) => !known.has(key)) };
}

/** Only the rules that differ, told apart by id; all of them when two share a priority, since the order then counts. */
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
