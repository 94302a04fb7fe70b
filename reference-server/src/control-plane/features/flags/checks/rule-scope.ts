import type { Condition } from '@flagsvc/sdk-core';
import { segmentKeysIn } from '../../../../lib/segment-keys.ts';
import { compileSegments, type SegmentRow } from '../../../../publishing/compile-segments.ts';
import {
  findUnreachable,
  type SegmentConditions,
  type Unreachable,
} from '../../../../publishing/unreachable-rules.ts';
import type { Queryable } from '../../../../storage/database.ts';
import type { FlagState } from '../flag-state.ts';
import type { ProjectLookups } from '../project-lookups.ts';

type Conditions = readonly Condition[];

/** The compiled segments to which rules refer. */
export interface RuleScope {
  readonly segments: SegmentConditions;
  /** Compiles a condition that may refer to a segment. */
  readonly refer: (condition: Condition) => Condition;
}

export function ruleScope(rows: readonly SegmentRow[]): RuleScope {
  const { segments, refer } = compileSegments(rows);
  return { segments: new Map(segments.map(({ key, conditions }) => [key, conditions])), refer };
}

/** The scope of some rules; reads segments only when a rule refers to one. */
export async function readRuleScope(
  db: Queryable,
  { listSegments }: Pick<ProjectLookups, 'listSegments'>,
  {
    organizationId,
    projectId,
    rules,
  }: Pick<FlagState, 'organizationId' | 'projectId'> & {
    readonly rules: readonly { readonly conditions: Conditions }[];
  },
): Promise<RuleScope> {
  const isNeeded = rules.some((rule) => segmentKeysIn(rule).length > 0);
  return ruleScope(isNeeded ? await listSegments(db, organizationId, projectId) : []);
}

/** The rules, in the order of evaluation, that can never decide. */
export function unreachableRules(
  rules: readonly { readonly conditions: Conditions }[],
  { segments, refer }: RuleScope,
): readonly Unreachable[] {
  const compiled = rules.map(({ conditions }) => ({ conditions: conditions.map(refer) }));
  return findUnreachable(compiled, segments);
}

/** Whether a rule matches everyone: without conditions, or with conditions on segments that contain everyone. */
export function matchesEveryone(rule: { readonly conditions: Conditions }, scope: RuleScope): boolean {
  const [found] = unreachableRules([rule, { conditions: [] }], scope);
  return found?.code === 'rule-unreachable' && found.byEveryone;
}
