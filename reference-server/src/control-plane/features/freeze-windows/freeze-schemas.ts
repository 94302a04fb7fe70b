import { type Static, Type } from 'typebox';
import { Comment, Id, Name, Timestamp } from '../../../http/schemas.ts';
import { SAFER_KINDS } from './freeze-scope.ts';

const SCOPE = { description: 'What the window covers; an empty list, or none, means all.' };

const Scope = Type.Object(
  {
    project_ids: Type.Array(Id, { maxItems: 100 }),
    environment_ids: Type.Array(Id, { maxItems: 100 }),
    environment_types: Type.Array(Type.Enum(['development', 'staging', 'production']), { maxItems: 3 }),
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 20,
      description: 'Flags that have one of them; what is no flag is blocked whatever its tags.',
    }),
  },
  SCOPE,
);

const NullableTime = Type.Union([Timestamp, Type.Null()]);

const Recurrence = Type.Object({
  rule: Type.String({
    maxLength: 200,
    description:
      'Of RFC 5545: FREQ=DAILY, WEEKLY with BYDAY, or MONTHLY with BYMONTHDAY; INTERVAL; COUNT or UNTIL.',
  }),
  timezone: Type.String({ maxLength: 64, description: 'IANA name, such as `Europe/Berlin`.' }),
  duration_minutes: Type.Integer({ minimum: 1, maximum: 44_640 }),
  until: Type.Optional(
    Type.Union([Timestamp, Type.Null()], { description: 'No occurrence starts after it.' }),
  ),
});

const Ends = Type.Union([Timestamp, Type.Null()], {
  description: 'Null: until somebody ends it, or its recurrence does.',
});

const Actions = Type.Array(Type.String({ pattern: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$', maxLength: 100 }), {
  minItems: 1,
  maxItems: 50,
  description:
    '`*`, all actions of a noun (`flag.*`, `segment.*`, `project.*`, `environment.*`), or one (`flag.toggled`); default all.',
});

const Allow = Type.Array(Type.Enum([...SAFER_KINDS]), {
  maxItems: SAFER_KINDS.length,
  description:
    'What is let through because it makes things safer. Flags classified `ops_killswitch` can always be switched off.',
});

const Notice = Type.Integer({
  minimum: 0,
  maximum: 44_640,
  description: 'Announced so long before; 0: not.',
});

export const FreezeWindow = Type.Object({
  id: Type.String({ description: '`frz_` and an opaque string.' }),
  organization_id: Type.String(),
  name: Type.String(),
  reason: Type.String(),
  status: Type.Enum(['scheduled', 'active', 'ended', 'cancelled']),
  scope: Scope,
  starts_at: Timestamp,
  ends_at: Ends,
  recurrence: Type.Union([Recurrence, Type.Null()]),
  current_occurrence: Type.Union([Type.Object({ starts_at: Timestamp, ends_at: NullableTime }), Type.Null()]),
  blocked_actions: Actions,
  allow: Allow,
  notify_before_minutes: Notice,
  created_by: Type.Union([Type.String(), Type.Null()]),
  ended_by: Type.Union([Type.String(), Type.Null()], { description: 'Who ended it before its time.' }),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export type FreezeWindowRecord = Static<typeof FreezeWindow>;

const writable = {
  reason: Type.Optional(Type.String({ maxLength: 2_000 })),
  // A field that is not understood would widen what is frozen, so that it is refused and not ignored.
  scope: Type.Optional(Type.Partial(Scope, { ...SCOPE, additionalProperties: false })),
  ends_at: Type.Optional(Ends),
  recurrence: Type.Optional(Type.Union([Recurrence, Type.Null()])),
  blocked_actions: Type.Optional(Actions),
  allow: Type.Optional(Allow),
  notify_before_minutes: Type.Optional(Notice),
  comment: Type.Optional(Comment),
};

export const NewFreezeWindow = Type.Object({
  name: Name,
  organization_id: Type.Optional({
    ...Id,
    description: 'Whose changes it blocks. Default, and only: your own.',
  }),
  starts_at: Type.Optional(Type.String({ format: 'date-time', description: 'Default now.' })),
  ...writable,
});

export const FreezeWindowPatch = Type.Object({
  name: Type.Optional(Name),
  starts_at: Type.Optional(Timestamp),
  ...writable,
});

export type NewFreezeWindow = Static<typeof NewFreezeWindow>;
export type FreezeWindowInput = Static<typeof FreezeWindowPatch>;

export const FreezeStatus = Type.Object({
  frozen: Type.Boolean(),
  windows: Type.Array(FreezeWindow),
  next_change_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When `frozen` changes next, as far as can be seen.',
  }),
});

export type FreezeStatusRecord = Static<typeof FreezeStatus>;
