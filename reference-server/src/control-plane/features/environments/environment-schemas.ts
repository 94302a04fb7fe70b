import { Type } from 'typebox';
import { Comment, Key, Name, Timestamp } from '../../../http/schemas.ts';
import { ENVIRONMENT_TYPES } from './environment-state.ts';

const EnvironmentType = Type.Enum([...ENVIRONMENT_TYPES]);

const CRITICAL = 'Whether mistakes here are expensive. Agents cannot change a critical environment.';
const CONFIRM =
  'Whether clients such as the command line ask for confirmation before a change. The API does not enforce it.';

export const Environment = Type.Object({
  id: Type.String({ description: '`env_` and an opaque string.' }),
  project_id: Type.String(),
  key: Key,
  name: Type.String(),
  type: EnvironmentType,
  color: Type.String(),
  position: Type.Integer(),
  critical: Type.Boolean({ description: CRITICAL }),
  require_comment: Type.Boolean({
    description:
      'Whether each change needs a comment; a change without one is refused with COMMENT_REQUIRED.',
  }),
  confirm_changes: Type.Boolean({ description: CONFIRM }),
  record_contexts: Type.Boolean({
    description: 'Whether a sample of evaluated contexts is kept for previews.',
  }),
  ruleset_version: Type.Integer({ description: 'Version of the compiled ruleset.' }),
  etag: Type.Union([Type.String(), Type.Null()], {
    description: 'Entity tag of the last published ruleset; null until a ruleset is first fetched.',
  }),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: Type.Union([Timestamp, Type.Null()], {
    description: 'Null unless the environment is archived.',
  }),
});

const settings = {
  color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  critical: Type.Optional(Type.Boolean({ description: `${CRITICAL} Default true for production.` })),
  require_comment: Type.Optional(Type.Boolean()),
  confirm_changes: Type.Optional(
    Type.Boolean({ description: `${CONFIRM} Default for a new environment: the value of \`critical\`.` }),
  ),
  record_contexts: Type.Optional(
    Type.Boolean({
      description:
        'True keeps a sample of the contexts that this server evaluates by `POST /evaluate` and OFREP, for previews: ' +
        'at most 1,000, each for 24 hours. User keys are pseudonymized, attributes are limited to those that a rule ' +
        'or segment uses, and mail addresses are cut to their domain. Takes effect within 10 seconds; changing it to ' +
        'false deletes the sample. Default false, also for a clone.',
    }),
  ),
};

export const NewEnvironmentBody = Type.Object({ key: Key, name: Name, type: EnvironmentType, ...settings });

export const EnvironmentPatch = Type.Object({
  name: Type.Optional(Name),
  type: Type.Optional(EnvironmentType),
  ...settings,
  comment: Type.Optional(Comment),
});

export const CloneBody = Type.Object({
  ...NewEnvironmentBody.properties,
  type: Type.Optional(EnvironmentType),
  include: Type.Optional(
    Type.Array(Type.Enum(['flags']), {
      maxItems: 1,
      description: 'Default `flags`. With an empty list every flag is switched off in the new environment.',
    }),
  ),
  comment: Type.Optional(Comment),
});
