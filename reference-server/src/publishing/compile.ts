import type { Flag, FlagType, Prerequisite, Ruleset, TargetingRule, Variation } from '@flagsvc/sdk-core';
import { segmentKeysOf } from '../lib/segment-keys.ts';
import { type CompiledSegments, compileSegments, type SegmentRow } from './compile-segments.ts';

export type { SegmentRow } from './compile-segments.ts';

/** A row of `flags` joined with its row of `flag_environments`. */
export interface FlagRow {
  readonly key: string;
  readonly flag_type: string;
  readonly status: string;
  readonly enabled: 0 | 1;
  readonly client_side: 0 | 1;
  /** 1: SDKs report exposures; absent: 0. */
  readonly track_exposures?: 0 | 1;
  readonly variations_json: string;
  readonly default_variation: string;
  readonly rules_json: string;
  readonly prerequisites_json: string;
}

/** All rows from which one version of an environment's ruleset is compiled. */
export interface RulesetRows {
  readonly environmentId: string;
  readonly version: number;
  readonly flags: readonly FlagRow[];
  readonly segments: readonly SegmentRow[];
}

/**
 * Compiles rows to a ruleset; the order of the rows does not matter. Drafts and deleted flags are left out. Disabled and
 * archived flags are included, switched off and without rules, because they serve their default variation ("States and
 * transitions"). Throws on malformed JSON.
 */
export function compileRuleset(rows: RulesetRows, fetchedAt: string): Ruleset {
  const segments = compileSegments(rows.segments);
  const served = rows.flags.filter(isServed);
  return {
    version: rows.version,
    environment_id: rows.environmentId,
    flags: served.map((row) => compileFlag(row, segments)).sort(byKey),
    segments: segments.segments,
    fetched_at: fetchedAt,
  };
}

/** What a `client` key may see: the flags marked `client_side`, and the segments that they use. */
export function clientRuleset(ruleset: Ruleset): Ruleset {
  const flags = ruleset.flags.filter((flag) => flag.client_side === true);
  const used = segmentKeysOf(flags);
  return { ...ruleset, flags, segments: ruleset.segments.filter((segment) => used.has(segment.key)) };
}

/** Whether a flag is part of the ruleset. Our tables contain no deleted flags, but rows of other hosts may. */
export function isServed({ status }: FlagRow): boolean {
  return status !== 'draft' && status !== 'deleted';
}

/** Compiles one flag, which must not be a draft or deleted. */
export function compileFlag(row: FlagRow, segments: CompiledSegments): Flag {
  const enabled = row.enabled === 1 && row.status !== 'archived';
  const prerequisites = enabled ? (JSON.parse(row.prerequisites_json) as Prerequisite[]) : [];
  return {
    key: row.key,
    flag_type: row.flag_type as FlagType,
    enabled,
    variations: (JSON.parse(row.variations_json) as Variation[]).map(({ key, value }) => ({ key, value })),
    default_variation: row.default_variation,
    targeting_rules: enabled
      ? (JSON.parse(row.rules_json) as TargetingRule[])
          .map((rule) => compileRule(rule, segments))
          .sort(byPriority)
      : [],
    ...(prerequisites.length > 0 && {
      prerequisites: prerequisites.map(({ flag_key, variation }) => ({ flag_key, variation })),
    }),
    ...(row.client_side === 1 && { client_side: true }),
    ...(row.track_exposures === 1 && { track_exposures: true }),
    ...(row.status === 'archived' && { archived: true }),
  };
}

function compileRule(rule: TargetingRule, { refer }: CompiledSegments): TargetingRule {
  return {
    id: rule.id,
    priority: rule.priority,
    conditions: rule.conditions.map(refer),
    ...(rule.percentage_rollout != null
      ? {
          percentage_rollout: rule.percentage_rollout.map(({ variation, percentage }) => ({
            variation,
            percentage,
          })),
        }
      : { variation: rule.variation ?? null }),
    ...(rule.bucketing != null && rule.bucketing !== 1 && { bucketing: rule.bucketing }),
  };
}

/** Orders by code units, so that the order is the same on every machine. Keys are unique within a project. */
function byKey(left: { readonly key: string }, right: { readonly key: string }): number {
  return left.key < right.key ? -1 : 1;
}

/** The sort is stable, so rules of equal priority keep their order (EV-37). */
function byPriority(left: TargetingRule, right: TargetingRule): number {
  return left.priority - right.priority;
}
