/**
 * The wire format. The server sends a `Ruleset` to SDKs, and SDKs send `EvaluationEvent`s back. Fields that cross the
 * wire keep their snake_case names in code.
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

/** Why a result was served ("POST /evaluate: Evaluation reasons"). */
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
  /** Name of a context attribute, taken literally. `$segment` is reserved for membership in segments. */
  readonly attribute: string;
  readonly operator: Operator;
  /** An array for `one_of` and `not_one_of`, otherwise a scalar. A value of another shape never matches. */
  readonly value: Json;
}

/** One entry of a percentage rollout. */
export interface RolloutEntry {
  /** Key of the variation to serve. */
  readonly variation: string;
  /** Percentage of users, 0 to 100. The entries of a rollout add up to at most 100. */
  readonly percentage: number;
}

/** A range of buckets: `from` inclusive, `to` exclusive. */
export interface BucketRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Revision 3 of bucketing, for experiments: assigns units to variations by ranges of 10,000 buckets under a salt of its
 * own (EV-124 to EV-134).
 */
export interface UnitBucketing {
  readonly revision: 3;
  /** Not empty. Rules with different salts assign units independently of each other. */
  readonly salt: string;
  /** What is assigned: `user_key`, or the name of an attribute such as `company_id`. */
  readonly by: string;
  /** The first range that contains the unit's bucket serves its variation; outside all ranges, the default is served. */
  readonly ranges: readonly (BucketRange & { readonly variation: string })[];
  /** A unit outside any gate is served the default. Each gate has a salt of its own. Absent: no gates. */
  readonly gates?: readonly (BucketRange & { readonly salt: string })[] | null;
}

/** One compiled targeting rule. It has either `variation` or `percentage_rollout`; if it has both, the rollout counts. */
export interface TargetingRule {
  /** `rule_` followed by an opaque string. */
  readonly id: string;
  /** Lower numbers are evaluated first; equal numbers in listed order. */
  readonly priority: number;
  /** All must match (AND); an empty list matches everyone. */
  readonly conditions: readonly Condition[];
  readonly variation?: string | null;
  readonly percentage_rollout?: readonly RolloutEntry[] | null;
  /**
   * How the rollout buckets users: 1 (default, the specification's), 2 (independent between flags), or revision 3, whose
   * ranges replace the entries of the rollout, which must be present.
   */
  readonly bucketing?: number | UnitBucketing | null;
}

/** One of the values that a flag can serve. */
export interface Variation {
  /** Unique within the flag. */
  readonly key: string;
  /** Has the flag's type. */
  readonly value: Json;
}

/** Another flag that must serve the given variation; otherwise this flag serves its default variation. */
export interface Prerequisite {
  readonly flag_key: string;
  readonly variation: string;
}

/** One flag of a compiled ruleset. */
export interface Flag {
  readonly key: string;
  readonly flag_type: FlagType;
  /** False serves the default variation with reason DISABLED, whatever the rules say. */
  readonly enabled: boolean;
  readonly variations: readonly Variation[];
  /** Key of the variation to serve when no rule matches. */
  readonly default_variation: string;
  readonly targeting_rules: readonly TargetingRule[];
  /** All must hold before any rule is evaluated; absent when there are none. */
  readonly prerequisites?: readonly Prerequisite[] | null;
  /** True when SDK keys of kind `client` may see the flag. */
  readonly client_side?: boolean;
  /** True when SDKs report exposures one by one, in addition to counters. */
  readonly track_exposures?: boolean;
  /** True for an archived flag, which is switched off for good. Code generators mark it as deprecated. */
  readonly archived?: boolean;
}

/** A named set of conditions. A user who meets all of them (AND) is a member. */
export interface Segment {
  /** `seg_` followed by an opaque string. */
  readonly id: string;
  readonly key: string;
  readonly conditions: readonly Condition[];
}

/** The compiled ruleset of one environment ("Compiled ruleset"). */
export interface Ruleset {
  /** Identifies the revision; it grows with every change to the environment. */
  readonly version: number;
  readonly environment_id: string;
  readonly flags: readonly Flag[];
  readonly segments: readonly Segment[];
  /** ISO 8601 UTC. Not part of the ruleset's identity. */
  readonly fetched_at: string;
}

/** The user for whom a flag is evaluated. */
export interface Context {
  /** Identifies the user and determines the bucket. Without one, the user gets no bucket. */
  readonly user_key?: string;
  /** Values for conditions: strings, numbers, booleans, and lists of these. Only own properties are read. */
  readonly attributes?: { readonly [name: string]: unknown };
}

/** The result of one flag ("Evaluation result"). Frozen; equal outcomes of a flag are the same object. */
export interface EvaluationResult {
  /** The variation's value; null when the flag does not exist. */
  readonly value: Json;
  readonly reason: Reason;
  /** Id of the rule that matched; null unless the reason is TARGETING_RULE or PERCENTAGE_ROLLOUT. */
  readonly rule_id: string | null;
  /** Key of the served variation; null when the flag does not exist. */
  readonly variation_key: string | null;
}

/** The number of times that an outcome was served in an interval. */
export interface EvaluationCounter {
  readonly flag_key: string;
  readonly variation_key: string | null;
  readonly reason: Reason;
  readonly rule_id: string | null;
  /** Version of the ruleset that was evaluated; null when there was none yet. */
  readonly ruleset_version: number | null;
  readonly count: number;
}

/** The counters of one interval. */
export interface SummaryEvent {
  readonly type: 'summary';
  /** ISO 8601 UTC. */
  readonly start: string;
  /** ISO 8601 UTC. */
  readonly end: string;
  readonly counters: readonly EvaluationCounter[];
}

/** What an experiment assigns, if it is not the user: an attribute and its value as a text. */
export interface ExposedUnit {
  /** Name of the attribute, such as `company_id`. */
  readonly by: string;
  readonly key: string;
}

/** Records that a user, or another unit, was served a variation. */
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
  /** Absent if the context has none; then there is a `unit`. */
  readonly user_key?: string;
  /** True when `user_key` is a hash made by the sender; absent when it is the key itself. */
  readonly user_key_hashed?: boolean;
  /** What the rule assigned; absent if it was the user. */
  readonly unit?: ExposedUnit;
  /** Key of the experiment that evaluated the flag, if there was one. */
  readonly experiment_key?: string | null;
  readonly ruleset_version: number | null;
}

/** An action of a user, for the metrics of experiments. */
export interface TrackEvent {
  readonly type: 'track';
  /** Unique; a repeated id is counted once. */
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly timestamp: string;
  readonly event_name: string;
  /** Absent if the context has none; then there are `units`. */
  readonly user_key?: string;
  /** True when `user_key` is the hash that the sender uses in exposures too; absent when it is the key itself. */
  readonly user_key_hashed?: boolean;
  /** Keys of the units for which the action counts besides the user, by attribute, such as `{ company_id: 'c1' }`. */
  readonly units?: { readonly [by: string]: string };
  readonly value?: number;
  readonly properties?: { readonly [name: string]: Json };
}

/** State of the client itself. */
export interface DiagnosticEvent {
  readonly type: 'diagnostic';
  readonly dropped_events: number;
  /** Why they were dropped, such as `spool_full`. Absent when the sender does not say. */
  readonly cause?: string;
  readonly ruleset_age_ms?: number;
  readonly stream_reconnects?: number;
}

/** The events that SDKs report ("Events", 4). */
export type EvaluationEvent = SummaryEvent | ExposureEvent | TrackEvent | DiagnosticEvent;

/** Body of `POST /sdk/events`. A retry keeps the `batch_id`, so that a batch is never counted twice. */
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
