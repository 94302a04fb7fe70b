import type { Condition } from '@flagsvc/sdk-core';
import type { SegmentRow } from '../../../storage/flag-tables.ts';
import { checkConditions } from '../targeting/check-conditions.ts';
import type { ConditionInput } from '../targeting/condition-schema.ts';
import { createPatternAllowance } from '../targeting/pattern-allowance.ts';

/** Maximum number of segments in a project. */
export const SEGMENTS_MAX = 300;

/** A segment as the API shows it. */
export interface SegmentRecord {
  readonly id: string;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly conditions: readonly Condition[];
  /**
   * User keys that always belong to the segment. If the segment has this list but no conditions, no other user belongs
   * to it. Null: no list.
   */
  readonly included: readonly string[] | null;
  /** User keys that never belong to the segment. */
  readonly excluded: readonly string[];
  readonly tags: readonly string[];
  /** How many flags have a rule that refers to the segment. */
  readonly usage_count: number;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Absent fields keep their value. */
export interface SegmentPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly conditions?: readonly ConditionInput[] | undefined;
  readonly included?: readonly string[] | null | undefined;
  readonly excluded?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

export type NewSegment = SegmentPatch & { readonly key: string; readonly name?: string | undefined };

/** A reference from a rule of a flag in one environment to a segment. */
export interface SegmentUse {
  readonly segmentKey: string;
  readonly flagId: string;
  readonly flagKey: string;
  readonly environmentId: string;
  readonly ruleId: string;
}

/** The segments of a project before and after a change. */
export interface SegmentChange {
  readonly before: readonly SegmentRow[];
  readonly after: readonly SegmentRow[];
}

/** The row of a new segment; its name defaults to its key. Throws what `columnsOf` throws. */
export function segmentRow(
  input: NewSegment,
  of: { id: string; organizationId: string; projectId: string; at: string },
): SegmentRow {
  return {
    organization_id: of.organizationId,
    project_id: of.projectId,
    id: of.id,
    key: input.key,
    name: input.key,
    description: '',
    conditions_json: '[]',
    included_json: null,
    excluded_json: '[]',
    tags_json: '[]',
    ...columnsOf(input),
    revision: 1,
    created_at: of.at,
    updated_at: of.at,
  };
}

/** The columns that a patch changes. Throws CONDITION_VALUE_INVALID, REGEX_INVALID or SEGMENT_NESTING. */
export function columnsOf(patch: SegmentPatch, before: readonly Condition[] = []): Partial<SegmentRow> {
  const { name, description, conditions, included, excluded, tags } = patch;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(conditions !== undefined && {
      conditions_json: JSON.stringify(
        checkConditions(conditions, { field: 'conditions', patterns: createPatternAllowance(before) }),
      ),
    }),
    ...(included !== undefined && { included_json: included && distinct(included) }),
    ...(excluded !== undefined && { excluded_json: distinct(excluded) }),
    ...(tags !== undefined && { tags_json: distinct(tags) }),
  };
}

function distinct(texts: readonly string[]): string {
  return JSON.stringify([...new Set(texts)]);
}

/** Whether a change alters the compiled rulesets. */
export function isCompiledChange(before: SegmentRow, after: SegmentRow): boolean {
  const compiled = ['conditions_json', 'included_json', 'excluded_json'] as const;
  return compiled.some((column) => after[column] !== before[column]);
}

export function resourceOf(row: SegmentRow) {
  return { type: 'segment', id: row.id, key: row.key, projectId: row.project_id };
}

/** The fields that the audit log compares. */
export function fieldsOf({ key, name, description, ...row }: SegmentRow) {
  return {
    key,
    name,
    description,
    conditions: JSON.parse(row.conditions_json) as readonly Condition[],
    included: JSON.parse(row.included_json ?? 'null') as readonly string[] | null,
    excluded: JSON.parse(row.excluded_json) as readonly string[],
    tags: JSON.parse(row.tags_json) as readonly string[],
  };
}

/** Keys of the flags that use a segment. */
export function flagKeysOf({ key }: SegmentRow, uses: readonly SegmentUse[]): ReadonlySet<string> {
  return new Set(uses.filter((use) => use.segmentKey === key).map((use) => use.flagKey));
}

export function toRecord(row: SegmentRow, uses: readonly SegmentUse[]): SegmentRecord {
  const { id, project_id, revision, created_at, updated_at } = row;
  const usage_count = flagKeysOf(row, uses).size;
  return { id, project_id, ...fieldsOf(row), usage_count, revision, created_at, updated_at };
}
