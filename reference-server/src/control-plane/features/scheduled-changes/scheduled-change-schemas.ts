import { type Static, Type } from 'typebox';
import { Comment, Id, Timestamp } from '../../../http/schemas.ts';
import { Instructions } from '../flags/plans/instructions.ts';

export const OnConflict = Type.Enum(['fail', 'rebase', 'force'], {
  description:
    'What to do when the flag is no longer at `base_revision`. `fail` (default): the change becomes conflicted. `rebase`: the instructions are followed on the current flag; when that is impossible, the change becomes conflicted. `force`: as `rebase`, except that the change becomes failed instead of conflicted.',
});
const OnFreeze = Type.Enum(['defer', 'fail'], {
  description:
    'During a freeze window: `defer` (default) executes the change after the window ends; `fail` marks the change as failed.',
});
const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Time zone of the author, for display only.',
});
const BaseRevision = Type.Union([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Type.Null()], {
  description:
    'Revision of the flag on which the change is based; null: any. Changes that were scheduled earlier cause no conflict.',
});

const OPEN = ['pending', 'blocked'] as const;
const STATUSES = [...OPEN, 'executed', 'failed', 'conflicted', 'cancelled'] as const;

export const StatusFilter = Type.Enum(['open', ...STATUSES], {
  description: 'Only changes with this status. `open`: `pending` or `blocked`.',
});

/** The statuses that a filter selects; undefined: all. */
export const statusesOf = (filter: Static<typeof StatusFilter> | undefined): readonly string[] | undefined =>
  filter === undefined ? undefined : filter === 'open' ? OPEN : [filter];

export const ScheduledChange = Type.Object({
  id: Type.String({ description: '`sch_` and an opaque string.' }),
  flag_id: Type.String(),
  flag_key: Type.String(),
  environment_id: Type.String(),
  project_id: Type.String(),
  status: Type.Enum(STATUSES),
  execute_at: Timestamp,
  timezone: Timezone,
  changes: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Instructions, as in `PATCH /flags/{flag_id}`.',
  }),
  base_revision: BaseRevision,
  on_conflict: OnConflict,
  on_freeze: OnFreeze,
  comment: Type.Union([Type.String(), Type.Null()]),
  created_by: Type.Object(
    { id: Type.String(), email: Type.Union([Type.String(), Type.Null()]) },
    { description: 'The last author. The change is executed with the rights that the author has then.' },
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

const ExecuteAt = Type.String({
  format: 'date-time',
  description: 'When the change is executed: at least a minute and at most two years ahead.',
});

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
