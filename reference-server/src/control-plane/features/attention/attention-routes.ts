import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { Id, Key, Timestamp } from '../../../http/schemas.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import { actorOf } from '../../access/request-actor.ts';
import { route } from '../../endpoint/route.ts';
import type { AttentionService } from './attention-service.ts';

const count = Type.Integer({ minimum: 0 });
const NullableTime = Type.Union([Timestamp, Type.Null()]);
const hidden = (description: string) => Type.Union([count, Type.Null()], { description });

const Freeze = Type.Object({
  freeze_window_id: Type.String(),
  name: Type.String(),
  environment_ids: Type.Array(Type.String(), { description: 'Environments of this project.' }),
  starts_at: Timestamp,
  ends_at: { ...NullableTime, description: 'Null: until somebody ends it.' },
});

const StoppedChange = Type.Object({
  id: Type.String(),
  flag_id: Type.String(),
  flag_key: Key,
  flag_name: Type.String(),
  environment_id: Type.String(),
  execute_at: Timestamp,
  on_freeze: Type.String(),
  freeze_window_id: Type.String(),
  freeze_ends_at: NullableTime,
});

const FailedChange = Type.Object({
  id: Type.String(),
  flag_id: Type.String(),
  flag_key: Key,
  flag_name: Type.String(),
  environment_id: Type.String(),
  execute_at: Timestamp,
  status: Type.Enum(['failed', 'conflicted']),
  message: Type.Union([Type.String(), Type.Null()], { description: 'Why it was not made.' }),
});

const Attention = Type.Object({
  stale_flags: Type.Object({ mine: count, all: count }),
  changed_flags: Type.Integer({ minimum: 0, description: 'Flags that changed since `changed_since`.' }),
  break_glass_reviews: hidden(
    'Break-glass sessions of other people in the organization that wait for a review; null if you may not review them.',
  ),
  failing_webhooks: hidden(
    'Webhooks of the project and of the organization that fail or were disabled because they failed; null if you may ' +
      'not read webhooks.',
  ),
  expiring_keys: hidden(
    'API keys that expire within 14 days. Keys of production count only if you may change them; null if you may not ' +
      'read keys.',
  ),
  active_freezes: Type.Array(Freeze),
  next_freeze: Type.Union([Freeze, Type.Null()], {
    description: 'The next freeze that begins within 100 days.',
  }),
  stopped_changes: Type.Object(
    { total: count, first: Type.Array(StoppedChange, { description: 'The first 20, soonest first.' }) },
    { description: 'Scheduled changes whose time falls into a freeze of their environment.' },
  ),
  failed_changes: Type.Object(
    { total: count, first: Type.Array(FailedChange, { description: 'The latest 20, latest first.' }) },
    { description: 'Scheduled changes of the last seven days that were not made.' },
  ),
});

const getAttention = route({
  access: 'flag.read',
  operationId: 'getAttention',
  tag: 'Projects',
  summary: 'Read what needs attention in a project',
  description:
    'Counts what somebody should look at: stale flags, sessions to review, failing webhooks, expiring keys, freezes, and ' +
    'scheduled changes that a freeze will stop or that were not made.',
  params: Type.Object({ project_id: Id }),
  query: Type.Object({
    changed_since: Type.Optional({
      ...Timestamp,
      description: 'For `changed_flags`; default the start of the current day in UTC.',
    }),
  }),
  answer: [200, Data(Attention)],
  errors: ['PROJECT_NOT_FOUND'],
});

/** `GET /projects/{project_id}/attention`. */
export const attentionRoutes: FastifyPluginAsyncTypebox<{ attention: AttentionService }> = async (
  app,
  { attention },
) => {
  app.get('/projects/:project_id/attention', getAttention, async (request) => {
    const { changed_since } = request.query;
    const changedSince = changed_since && normalizeTimestamp(changed_since, 'changed_since', 'query');
    const wanted = { projectId: request.params.project_id, changedSince };
    return data((await attention.read(actorOf(request), wanted)) as never);
  });
};
