import { type Static, Type } from 'typebox';
import { Comment, Id, Name, Timestamp } from '../../../http/schemas.ts';
import { SAFER_KINDS } from './freeze-scope.ts';

const SCOPE = { description: 'What the window covers. An empty or absent list does not limit it.' };

const Scope = Type.Object(
  {
    project_ids: Type.Array(Id, { maxItems: 100 }),
    environment_ids: Type.Array(Id, { maxItems: 100 }),
    environment_types: Type.Array(Type.Enum(['development', 'staging', 'production']), { maxItems: 3 }),
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 20,
      description:
        'Limits the window to flags with at least one of these tags. Changes of other resources, such as segments, are covered whatever their tags.',
    }),
  },
  SCOPE,
);

const NullableTime = Type.Union([Timestamp, Type.Null()]);

const Recurrence = Type.Object({
  rule: Type.String({
    maxLength: 200,
    description:
      'A rule of RFC 5545. Supported are FREQ=DAILY, FREQ=WEEKLY (optionally with BYDAY) or FREQ=MONTHLY (optionally with BYMONTHDAY), and optionally INTERVAL and either COUNT or UNTIL.',
  }),
  timezone: Type.String({ maxLength: 64, description: 'IANA name, such as `Europe/Berlin`.' }),
  duration_minutes: Type.Integer({ minimum: 1, maximum: 44_640 }),
  until: Type.Optional(
    Type.Union([Timestamp, Type.Null()], { description: 'No occurrence starts after this time.' }),
  ),
});

const Ends = Type.Union([Timestamp, Type.Null()], {
  description:
    'When the window ends. Null: when a user ends it, or after the last occurrence of its recurrence.',
});

const Actions = Type.Array(Type.String({ pattern: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$', maxLength: 100 }), {
  minItems: 1,
  maxItems: 50,
  description:
    'Actions that the window blocks: `*`, all actions of a noun (`flag.*`, `segment.*`, `project.*`, `environment.*`) or a single one (`flag.toggled`). Default `*`.',
});

const Allow = Type.Array(Type.Enum([...SAFER_KINDS]), {
  maxItems: SAFER_KINDS.length,
  description:
    'Changes that the window permits because they reduce risk: switching a flag off, or shrinking a rollout. Flags classified `ops_killswitch` can always be switched off.',
});

const Notice = Type.Integer({
  minimum: 0,
  maximum: 44_640,
  description: 'Webhooks are notified this many minutes before each start; 0: never.',
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
  ended_by: Type.Union([Type.String(), Type.Null()], {
    description:
      'Email of the user, or name of the service account, that ended the window early; null if nobody did.',
  }),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export type FreezeWindowRecord = Static<typeof FreezeWindow>;

const writable = {
  reason: Type.Optional(Type.String({ maxLength: 2_000 })),
  // Unknown fields are refused: one may have been meant to narrow the window.
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
    description:
      'The organization whose changes the window blocks. Only your own is accepted, and it is the default.',
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
    description: 'When `frozen` changes next; null if no change is known.',
  }),
});

export type FreezeStatusRecord = Static<typeof FreezeStatus>;

export const FreezeOccurrence = Type.Object({
  freeze_window_id: Type.String(),
  name: Type.String(),
  scope: FreezeWindow.properties.scope,
  starts_at: Timestamp,
  ends_at: Type.Union([Timestamp, Type.Null()], { description: 'Null: until a user ends the window.' }),
});

export const FreezeCalendar = Type.Object({
  occurrences: Type.Array(FreezeOccurrence, { description: 'In the order of their starts.' }),
  is_complete: Type.Boolean({
    description: 'False if the period has more than 1,000 occurrences; the first 1,000 are returned.',
  }),
});

export type FreezeCalendarRecord = Static<typeof FreezeCalendar>;
