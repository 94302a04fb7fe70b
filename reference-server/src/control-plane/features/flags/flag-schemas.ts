import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { type Static, Type } from 'typebox';
import { Comment, Description, Id, Key, Name, Tags, Timestamp } from '../../../http/schemas.ts';
import { auditActorFields } from '../audit/audit-schemas.ts';
import { Condition, Conditions } from '../targeting/condition-schema.ts';

export const CLASSIFICATIONS = [
  'release',
  'experiment',
  'ops_killswitch',
  'permission',
  'migration',
] as const;

/** Values of the `status` filter; `inactive` means disabled and not archived. */
export const STATUS_FILTERS = ['active', 'inactive', 'archived', 'draft', 'stale'] as const;

/** Reasons for which a flag is stale. */
export const STALE_REASONS = [
  'fully_rolled_out',
  'single_variation_served',
  'not_evaluated',
  'past_expected_end',
  'manual',
] as const;
export type StaleReason = (typeof STALE_REASONS)[number];

/** Maximum number of flags in a project, including archived flags. */
export const FLAGS_MAX = 10_000;

export const VariationKey = Type.String({ minLength: 1, maxLength: 100 });

export const Variation = Type.Object({
  key: VariationKey,
  name: Name,
  description: Type.Optional({ ...Description, description: 'What the variation does, as plain text.' }),
  value: Type.Unknown({ description: 'A value of the flag type.' }),
});

export const Rollout = Type.Array(
  Type.Object({
    variation: VariationKey,
    percentage: Type.Integer({ minimum: 0, description: 'Percentage of users. The total is at most 100.' }),
  }),
  { maxItems: 100 },
);

/** Maximum number of entries in each list of a flag. */
export const LISTS_MAX = { variations: 50, targeting_rules: 50, prerequisites: 10, tags: 20 } as const;

const bucket = (description: string) => Type.Integer({ minimum: 0, maximum: 10_000, description });
const Buckets = { from: bucket('The first bucket.'), to: bucket('The bucket after the last one.') };
const salt = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

/** Revision 3 of bucketing. */
export const UnitBucketing = Type.Object(
  {
    revision: Type.Literal(3, { description: 'The revision: 3.' }),
    salt: salt(
      'Rules with different salts assign independently of each other. A new salt reassigns everybody.',
    ),
    by: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'What is assigned: `user_key`, or the name of an attribute such as `company_id`.',
    }),
    ranges: Type.Array(Type.Object({ variation: VariationKey, ...Buckets }), {
      maxItems: 100,
      description: 'The first range that contains the bucket is served: `from` inclusive, `to` exclusive.',
    }),
    gates: Type.Optional(
      Type.Array(
        Type.Object({ salt: salt('Decides, with the unit, which bucket the gate tests.'), ...Buckets }),
        {
          maxItems: 20,
          description: 'A unit outside of any gate is served the default variation.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Revision 3: assigns by ranges of 10,000 buckets, from 0 to 9,999. The rule also has a `percentage_rollout` that ' +
      'says the share of each variation in whole percentages.',
  },
);

/**
 * A rule as clients send it. A rule with the `id` of an existing rule replaces it; any other rule gets a new id.
 */
export const RuleInput = Type.Object({
  id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Id of the existing rule that this one replaces; absent for a new rule.',
    }),
  ),
  priority: Type.Integer({
    minimum: -2_147_483_648,
    maximum: 2_147_483_647,
    description: 'Rules are evaluated in ascending order.',
  }),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  conditions: Conditions,
  variation: Type.Optional(Type.Union([VariationKey, Type.Null()])),
  percentage_rollout: Type.Optional(Type.Union([Rollout, Type.Null()])),
  bucketing: Type.Optional(
    Type.Union([Type.Enum([1, 2]), UnitBucketing, Type.Null()], {
      description: 'Revision of the bucketing function; default 1. Revision 3 is an object.',
    }),
  ),
});

const Rule = Type.Object({
  id: Type.String({ description: '`rule_` and an opaque string.' }),
  priority: Type.Integer(),
  name: Type.String(),
  conditions: Type.Array(Condition),
  variation: Type.Optional(VariationKey),
  percentage_rollout: Type.Optional(Rollout),
  bucketing: Type.Optional(Type.Union([Type.Enum([1, 2]), UnitBucketing])),
});

export const Prerequisite = Type.Object({ flag_key: Key, variation: VariationKey });
const Classification = Type.Enum([...CLASSIFICATIONS]);
export const NullableClassification = Type.Union([Classification, Type.Null()]);
const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);

export const StaleAfterDays = Type.Union([Type.Integer({ minimum: 1, maximum: 3_650 }), Type.Null()], {
  description:
    'Days after which any of the stale reasons makes the flag stale. Overrides the project settings; null: the project settings apply.',
});

export const TrackExposures = Type.Boolean({
  description:
    'Whether SDKs report each exposure of the flag in addition to the counts that they always report; default false.',
});

export const CreateFlagBody = Type.Object({
  key: Key,
  name: Name,
  description: Type.Optional(Description),
  flag_type: Type.Enum([...FLAG_TYPES]),
  variations: Type.Array(Variation, { maxItems: LISTS_MAX.variations }),
  default_variation: VariationKey,
  tags: Type.Optional(Tags),
  classification: Type.Optional(NullableClassification),
  client_side: Type.Optional(
    Type.Boolean({
      description:
        'Whether `client` keys receive the flag; default: `client_exposure_default` of the project.',
    }),
  ),
  track_exposures: Type.Optional(TrackExposures),
  permanent: Type.Optional(Type.Boolean()),
  owner_id: Type.Optional(
    Type.Union([Id, Type.Null()], {
      description: 'Id of a member; default: the person who creates the flag.',
    }),
  ),
  expected_end_at: Type.Optional(nullable(Timestamp)),
  stale_after_days: Type.Optional(StaleAfterDays),
  draft: Type.Optional(
    Type.Boolean({ description: 'True creates a draft, which no ruleset contains until it is activated.' }),
  ),
  comment: Type.Optional(Comment),
});

export const UpdateFlagBody = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  variations: Type.Optional(Type.Array(Variation, { maxItems: LISTS_MAX.variations })),
  default_variation: Type.Optional(VariationKey),
  targeting_rules: Type.Optional(Type.Array(RuleInput, { maxItems: LISTS_MAX.targeting_rules })),
  prerequisites: Type.Optional(Type.Array(Prerequisite, { maxItems: LISTS_MAX.prerequisites })),
  tags: Type.Optional(Tags),
  classification: Type.Optional(NullableClassification),
  client_side: Type.Optional(Type.Boolean()),
  track_exposures: Type.Optional(TrackExposures),
  permanent: Type.Optional(Type.Boolean()),
  owner_id: Type.Optional(nullable(Id)),
  expected_end_at: Type.Optional(nullable(Timestamp)),
  stale_after_days: Type.Optional(StaleAfterDays),
  comment: Type.Optional(Comment),
});

/** The flag to create, or, if the project already has a flag with the key, the fields to replace in that flag. */
export const UpsertFlagBody = Type.Object({
  ...UpdateFlagBody.properties,
  name: Name,
  flag_type: Type.Enum([...FLAG_TYPES]),
  variations: Type.Array(Variation, { maxItems: LISTS_MAX.variations }),
  default_variation: VariationKey,
  enabled: Type.Optional(
    Type.Boolean({ description: 'Default: unchanged for an existing flag, false for a new flag.' }),
  ),
});

const common = {
  id: Type.String({ description: '`flg_` and an opaque string.' }),
  key: Key,
  name: Type.String(),
  description: Type.String(),
  flag_type: Type.Enum([...FLAG_TYPES]),
  status: Type.Enum(['draft', 'active', 'stale', 'archived']),
  enabled: Type.Boolean(),
  variations: Type.Array(Variation),
  default_variation: Type.String(),
};

const rest = {
  environment_id: Type.String(),
  project_id: Type.String(),
  prerequisites: Type.Array(Prerequisite),
  tags: Type.Array(Type.String()),
  classification: NullableClassification,
  client_side: Type.Boolean(),
  track_exposures: TrackExposures,
  permanent: Type.Boolean(),
  owner_id: Type.Union([Type.String(), Type.Null()]),
  expected_end_at: Type.Union([Type.String(), Type.Null()]),
  last_evaluated_at: Type.Union([Type.String(), Type.Null()], {
    description:
      'Start of the last hour in which an SDK reported an evaluation in this environment; up to a minute behind.',
  }),
  stale_reasons: Type.Array(Type.Enum([...STALE_REASONS])),
  stale_since: Type.Union([Type.String(), Type.Null()]),
  stale_after_days: StaleAfterDays,
  archived_at: Type.Union([Type.String(), Type.Null()]),
  revision: Type.Integer({
    description: 'Grows with every change of the flag that affects this environment; also used as the ETag.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** One flag in one environment ("Feature flag"). */
export const Flag = Type.Object({ ...common, targeting_rules: Type.Array(Rule), ...rest });

/** A flag in a list, with the number of its rules instead of the rules. */
export const FlagListItem = Type.Object({ ...common, targeting_rules_count: Type.Integer(), ...rest });

export const HistoryEntry = Type.Object({
  id: Type.String({ description: '`evt_` and an opaque string.' }),
  action: Type.String({ description: 'For example `flag.toggled`.' }),
  actor: Type.Object(auditActorFields),
  changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
  timestamp: Timestamp,
});

export type CreateFlagInput = Static<typeof CreateFlagBody>;
export type UpdateFlagInput = Static<typeof UpdateFlagBody>;
export type RuleInput = Static<typeof RuleInput>;
export type VariationInput = Static<typeof Variation>;
export type UpsertFlagInput = Static<typeof UpsertFlagBody>;
export type StoredRule = Static<typeof Rule>;
export type FlagRecord = Static<typeof Flag>;
export type FlagListItem = Static<typeof FlagListItem>;
