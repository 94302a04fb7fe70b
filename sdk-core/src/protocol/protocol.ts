/**
 * The wire: the only shapes that travel. `Ruleset` goes out, `EvaluationEvent` comes back, and what crosses
 * the wire keeps its snake_case names in code.
 */

/** The four flag types ("Resources and their fields: Feature flag"). */
export const FLAG_TYPES = ['boolean', 'string', 'number', 'json'] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** The eleven operators of a condition ("Targeting rule: Condition"). `OPERATORS` lists them. */
export type Operator =
  | 'is'
  | 'is_not'
  | 'contains'
  | 'not_contains'
  | 'one_of'
  | 'not_one_of'
  | 'gt'
  | 'lt'
  | 'matches_regex'
  | 'version_gt'
  | 'version_lt';

/** Why an evaluation gave its result ("POST /evaluate: Evaluation reasons"). */
export const REASONS = [
  'TARGETING_RULE',
  'PERCENTAGE_ROLLOUT',
  'DEFAULT',
  'DISABLED',
  'PREREQUISITE',
  'FLAG_NOT_FOUND',
] as const;
export type Reason = (typeof REASONS)[number];

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Selects users by one attribute. An operator that this version does not know never matches. */
export interface Condition {
  /** Literal name of a context attribute; `$segment` is reserved for membership of segments. */
  readonly attribute: string;
  readonly operator: Operator;
  /** An array for `one_of` and `not_one_of`, else one scalar. A value of another shape never matches. */
  readonly value: Json;
}

/** One share of a percentage rollout. */
export interface RolloutEntry {
  /** Key of the variation to serve. */
  readonly variation: string;
  /** Points of a hundred; the sum of a rollout is at most 100. */
  readonly percentage: number;
}

/** One compiled targeting rule. It has either `variation` or `percentage_rollout`; the rollout wins. */
export interface TargetingRule {
  /** `rule_` and an opaque string. */
  readonly id: string;
  /** The lower number is evaluated first; equal numbers in listed order. */
  readonly priority: number;
  /** All must match (AND); an empty list matches everyone. */
  readonly conditions: readonly Condition[];
  readonly variation?: string | null;
  readonly percentage_rollout?: readonly RolloutEntry[] | null;
  /** Revision of the bucket function, 1 (the default, the specification's) or 2 (independent between flags). */
  readonly bucketing?: number | null;
}

/** What a flag can serve. */
export interface Variation {
  /** Unique within the flag. */
  readonly key: string;
  /** Matches the flag's type. */
  readonly value: Json;
}

/** Another flag that must serve one variation, or this flag is blocked. */
export interface Prerequisite {
  readonly flag_key: string;
  readonly variation: string;
}

/** One flag of a compiled ruleset. */
export interface Flag {
  readonly key: string;
  readonly flag_type: FlagType;
  /** False serves the default variation with reason DISABLED, whatever the rules. */
  readonly enabled: boolean;
  readonly variations: readonly Variation[];
  /** Key of the variation that is served when no rule decides. */
  readonly default_variation: string;
  readonly targeting_rules: readonly TargetingRule[];
  /** All must hold, before any rule is tried; absent when there are none. */
  readonly prerequisites?: readonly Prerequisite[] | null;
  /** True when keys of kind `client` may see the flag. */
  readonly client_side?: boolean;
  /** True when SDKs should report single exposures besides the counters. */
  readonly track_exposures?: boolean;
  /** True for an archived flag, which is switched off for good; for those who generate code. */
  readonly archived?: boolean;
}

/** A named set of conditions, all of which must match (AND). */
export interface Segment {
  /** `seg_` and an opaque string. */
  readonly id: string;
  readonly key: string;
  readonly conditions: readonly Condition[];
}

/** The compiled ruleset of one environment ("Compiled ruleset"). */
export interface Ruleset {
  /** Identifies the revision; grows with every change of the environment. */
  readonly version: number;
  readonly environment_id: string;
  readonly flags: readonly Flag[];
  readonly segments: readonly Segment[];
  /** ISO 8601 UTC; not part of the ruleset's identity. */
  readonly fetched_at: string;
}

/** Who a flag is evaluated for. */
export interface Context {
  /** Identifies the user and decides the bucket; without one, nobody is bucketed. */
  readonly user_key?: string;
  /** Facts for conditions: strings, numbers, booleans, and lists of these. Only own properties are read. */
  readonly attributes?: { readonly [name: string]: unknown };
}

/** The answer for one flag ("Evaluation result"). Frozen; the same outcome is the same object. */
export interface EvaluationResult {
  /** The variation's value; null when the flag does not exist. */
  readonly value: Json;
  readonly reason: Reason;
  /** Id of the deciding rule; null unless the reason is TARGETING_RULE or PERCENTAGE_ROLLOUT. */
  readonly rule_id: string | null;
  /** Key of the served variation; null when the flag does not exist. */
  readonly variation_key: string | null;
}

/** How often one outcome was served between `start` and `end`. */
export interface EvaluationCounter {
  readonly flag_key: string;
  readonly variation_key: string | null;
  readonly reason: Reason;
  readonly rule_id: string | null;
  /** Version of the ruleset that decided; null when there was none yet. */
  readonly ruleset_version: number | null;
  readonly count: number;
}

/** Counters of one interval. */
export interface SummaryEvent {
  readonly type: 'summary';
  /** ISO 8601 UTC. */
  readonly start: string;
  /** ISO 8601 UTC. */
  readonly end: string;
  readonly counters: readonly EvaluationCounter[];
}

/** One user met one variation. */
export interface ExposureEvent {
  readonly type: 'exposure';
  /** Unique; a repeated id is counted once. */
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly timestamp: string;
  readonly flag_key: string;
  readonly variation_key: string | null;
  readonly reason: Reason;
  readonly rule_id: string | null;
  readonly user_key: string;
  /** True when `user_key` is a hash that the sender made; absent: it is the key itself. */
  readonly user_key_hashed?: boolean;
  /** The experiment that the flag was asked for, if it was one. */
  readonly experiment_key?: string | null;
  readonly ruleset_version: number | null;
}

/** Something a user did, for experiments. */
export interface TrackEvent {
  readonly type: 'track';
  /** Unique; a repeated id is counted once. */
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly timestamp: string;
  readonly event_name: string;
  readonly user_key: string;
  /** True when `user_key` is a hash that the sender made, the same as in exposures; absent: it is the key itself. */
  readonly user_key_hashed?: boolean;
  readonly value?: number;
  readonly properties?: { readonly [name: string]: Json };
}

/** How the client itself fares. */
export interface DiagnosticEvent {
  readonly type: 'diagnostic';
  readonly dropped_events: number;
  readonly ruleset_age_ms?: number;
  readonly stream_reconnects?: number;
}

/** What SDKs send back ("Events", 4). */
export type EvaluationEvent = SummaryEvent | ExposureEvent | TrackEvent | DiagnosticEvent;

/** Body of `POST /sdk/events`. A retry keeps its `batch_id`, so that it never counts twice. */
export interface EventBatch {
  readonly batch_id: string;
  /** ISO 8601 UTC. */
  readonly sent_at: string;
  readonly sdk: {
    readonly name: string;
    readonly version: string;
    readonly instance_id?: string;
    readonly app?: string;
  };
  readonly events: readonly EvaluationEvent[];
}
