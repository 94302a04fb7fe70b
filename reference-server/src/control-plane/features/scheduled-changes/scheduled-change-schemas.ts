import { type Static, Type } from 'typebox';
import { Comment, Id, Timestamp } from '../../../http/schemas.ts';
import { Instructions } from '../flags/plans/instructions.ts';

const OnConflict = Type.Enum(['fail', 'rebase', 'force'], {
  description:
    'When the flag is not at `base_revision` any more: `fail` (default) leaves it conflicted; `rebase` follows the instructions on what is there, and leaves it conflicted when they do not fit; `force` does the same, and fails.',
});
const OnFreeze = Type.Enum(['defer', 'fail'], {
  description: 'In a freeze window: `defer` (default) waits for its end, `fail` gives up.',
});
const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Of whoever plans it; for display only.',
});
const BaseRevision = Type.Union([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Type.Null()], {
  description:
    'The flag’s revision that the change is based on; null: none. Changes planned before it are no conflict.',
});

export const ScheduledChange = Type.Object({
  id: Type.String({ description: '`sch_` and an opaque string.' }),
  flag_id: Type.String(),
  environment_id: Type.String(),
  project_id: Type.String(),
  status: Type.Enum(['pending', 'blocked', 'executed', 'failed', 'conflicted', 'cancelled']),
  execute_at: Timestamp,
  timezone: Timezone,
  changes: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Instructions, as in PATCH /flags/{flag_id}.',
  }),
  base_revision: BaseRevision,
  on_conflict: OnConflict,
  on_freeze: OnFreeze,
  comment: Type.Union([Type.String(), Type.Null()]),
  created_by: Type.Object(
    { id: Type.String(), email: Type.Union([Type.String(), Type.Null()]) },
    { description: 'Whoever planned it last: it is executed with the rights that this one has then.' },
  ),
  error: Type.Union([
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      details: Type.Record(Type.String(), Type.Unknown()),
    }),
    Type.Null(),
  ]),
  executed_at: Type.Union([Timestamp, Type.Null()]),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const ExecuteAt = Type.String({ format: 'date-time', description: 'At least a minute ahead.' });

export const NewScheduledChange = Type.Object({
  environment_id: Id,
  execute_at: ExecuteAt,
  timezone: Type.Optional(Timezone),
  changes: Instructions,
  base_revision: Type.Optional(BaseRevision),
  on_conflict: Type.Optional(OnConflict),
  on_freeze: Type.Optional(OnFreeze),
  comment: Type.Optional(Comment),
});

export const ScheduledChangePatch = Type.Object({
  execute_at: Type.Optional(ExecuteAt),
  timezone: Type.Optional(Timezone),
  changes: Type.Optional(Instructions),
  base_revision: Type.Optional(BaseRevision),
  on_conflict: Type.Optional(OnConflict),
  on_freeze: Type.Optional(OnFreeze),
  comment: Type.Optional(Comment),
});

export type ScheduledChangeRecord = Static<typeof ScheduledChange>;
export type NewScheduledChange = Static<typeof NewScheduledChange>;
export type ScheduledChangePatch = Static<typeof ScheduledChangePatch>;
