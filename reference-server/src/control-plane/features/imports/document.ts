import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { type Static, Type } from 'typebox';
import { Description, Key, Name, Tags, Timestamp } from '../../../http/schemas.ts';
import { ENVIRONMENT_TYPES, ENVIRONMENTS_MAX } from '../environments/environment-state.ts';
import { CLASSIFICATIONS, FLAGS_MAX, Prerequisite, RuleInput, VariationKey } from '../flags/flag-schemas.ts';
import { ProjectSettingsPatch } from '../projects/project-settings.ts';
import { Conditions, userKeys } from '../targeting/condition-schema.ts';

/** Name and version of the format of exported and imported projects. */
export const API_VERSION = 'flagsvc/v1';

const strict = { additionalProperties: false };
const optionalBoolean = Type.Optional(Type.Boolean());

const DocumentRule = Type.Object(
  {
    priority: RuleInput.properties.priority,
    name: RuleInput.properties.name,
    conditions: Conditions,
    variation: RuleInput.properties.variation,
    percentage_rollout: RuleInput.properties.percentage_rollout,
    bucketing: RuleInput.properties.bucketing,
  },
  strict,
);

const DocumentConfig = Type.Object(
  {
    enabled: optionalBoolean,
    default_variation: Type.Optional(VariationKey),
    targeting_rules: Type.Optional(Type.Array(DocumentRule, { maxItems: 50 })),
    prerequisites: Type.Optional(Type.Array(Prerequisite, { maxItems: 10 })),
  },
  {
    ...strict,
    description: 'Absent fields have defaults: off, no rules, the default variation of the flag.',
  },
);
export type DocumentConfig = Static<typeof DocumentConfig>;

const DocumentFlag = Type.Object(
  {
    key: Key,
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    flag_type: Type.Enum([...FLAG_TYPES]),
    status: Type.Optional(Type.Enum(['draft', 'active', 'archived'], { description: 'Default active.' })),
    variations: Type.Array(
      Type.Object(
        {
          key: VariationKey,
          name: Type.Optional(Name),
          description: Type.Optional(Description),
          value: Type.Unknown(),
        },
        strict,
      ),
      { maxItems: 50 },
    ),
    default_variation: VariationKey,
    tags: Type.Optional(Tags),
    classification: Type.Optional(Type.Enum([...CLASSIFICATIONS])),
    client_side: optionalBoolean,
    track_exposures: optionalBoolean,
    permanent: optionalBoolean,
    expected_end_at: Type.Optional(Timestamp),
    stale_after_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
    environments: Type.Optional(
      Type.Record(Type.String(), DocumentConfig, {
        description:
          'Configuration by environment key. In other environments the flag keeps its configuration.',
      }),
    ),
  },
  strict,
);
export type DocumentFlag = Static<typeof DocumentFlag>;

const DocumentSegment = Type.Object(
  {
    key: Key,
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    conditions: Conditions,
    included: Type.Optional(userKeys()),
    excluded: Type.Optional(userKeys()),
    tags: Type.Optional(Tags),
  },
  strict,
);
export type DocumentSegment = Static<typeof DocumentSegment>;

const DocumentEnvironment = Type.Object(
  {
    key: Key,
    name: Name,
    type: Type.Enum([...ENVIRONMENT_TYPES]),
    color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
    position: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    critical: optionalBoolean,
    require_comment: optionalBoolean,
    confirm_changes: optionalBoolean,
    record_contexts: optionalBoolean,
  },
  strict,
);
export type DocumentEnvironment = Static<typeof DocumentEnvironment>;

/** Parts of a document that an export can leave out. */
export const EXPORT_PARTS = ['environments', 'segments', 'flags'] as const;
export type ExportPart = (typeof EXPORT_PARTS)[number];

/** A project as one document. It has no ids: everything is identified by key, in a fixed order. */
export const ProjectDocument = Type.Object(
  {
    apiVersion: Type.Literal(API_VERSION),
    kind: Type.Literal('Project'),
    key: Type.Optional(Key),
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    tags: Type.Optional(Tags),
    settings: Type.Optional(ProjectSettingsPatch),
    environments: Type.Optional(Type.Array(DocumentEnvironment, { maxItems: ENVIRONMENTS_MAX })),
    segments: Type.Optional(Type.Array(DocumentSegment, { maxItems: 300 })),
    flags: Type.Optional(Type.Array(DocumentFlag, { maxItems: FLAGS_MAX })),
  },
  {
    ...strict,
    title: 'flagsvc project',
    description: 'An exported flagsvc project.',
  },
);
export type ProjectDocument = Static<typeof ProjectDocument>;

/** The JSON Schema of a document, for editors and linters. */
export const DOCUMENT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...ProjectDocument,
};
