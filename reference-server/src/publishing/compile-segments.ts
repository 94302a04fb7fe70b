import type { Condition, Segment } from '@flagsvc/sdk-core';

/** A row of `segments`. */
export interface SegmentRow {
  readonly id: string;
  readonly key: string;
  readonly conditions_json: string;
  /** User keys that are members even if the conditions do not match; null or absent: no list. */
  readonly included_json?: string | null;
  /** User keys that are never members, even if they are included or match the conditions; absent: none. */
  readonly excluded_json?: string;
}

/** The segments of a ruleset, and how conditions refer to them. */
export interface CompiledSegments {
  readonly segments: readonly Segment[];
  /**
   * Compiles the condition: where it names a segment with included keys, the result also names the segment that was
   * compiled from those keys.
   */
  refer(condition: Condition): Condition;
  /** Two results have the same identity exactly if their `refer` compiles every condition alike. */
  readonly identity: string;
}

/**
 * Ends the key of a segment that is compiled from included keys. Keys that users choose contain no slash, so none
 * equals it.
 */
const LIST_SUFFIX = '/included';

/**
 * Compiles lists of user keys to conditions, so that evaluators need no lists (decisions/0007). Excluded keys become
 * one more condition of the segment. Included keys become a second segment, and each rule that names the first segment
 * is compiled to name both.
 */
export function compileSegments(rows: readonly SegmentRow[]): CompiledSegments {
  const segments: Segment[] = [];
  const listed = new Set<string>();
  for (const row of rows) {
    const own = JSON.parse(row.conditions_json) as Condition[];
    const included = JSON.parse(row.included_json ?? 'null') as readonly string[] | null;
    const excluded = new Set(JSON.parse(row.excluded_json ?? '[]') as readonly string[]);
    const members = included?.filter((key) => !excluded.has(key));
    if (members !== undefined && own.length === 0) {
      segments.push({ id: row.id, key: row.key, conditions: [userIs('one_of', members)] });
      continue;
    }
    const conditions = own.map(({ attribute, operator, value }) => ({ attribute, operator, value }));
    if (excluded.size > 0) conditions.push(userIs('not_one_of', [...excluded]));
    segments.push({ id: row.id, key: row.key, conditions });
    if (members === undefined || members.length === 0) continue;
    listed.add(row.key);
    const list = [userIs('one_of', members)];
    segments.push({ id: `${row.id}${LIST_SUFFIX}`, key: `${row.key}${LIST_SUFFIX}`, conditions: list });
  }
  return {
    segments: segments.sort((left, right) => (left.key < right.key ? -1 : 1)),
    identity: [...listed].sort().join(),
    refer({ attribute, operator, value }) {
      // When a flag is saved, the server rewrites `$segment is` to `one_of`, so values are lists.
      if (attribute !== '$segment' || !Array.isArray(value)) return { attribute, operator, value };
      const keys = (value as readonly string[]).flatMap((key) =>
        listed.has(key) ? [key, `${key}${LIST_SUFFIX}`] : [key],
      );
      return { attribute, operator, value: keys };
    },
  };
}

function userIs(operator: 'one_of' | 'not_one_of', keys: readonly string[]): Condition {
  return { attribute: 'user_key', operator, value: keys };
}
