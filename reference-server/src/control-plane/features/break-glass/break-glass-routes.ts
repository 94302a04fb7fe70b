import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page } from '../../../http/envelope.ts';
import { Comment, Id, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import type { BreakGlassService } from './break-glass-service.ts';

const Person = Type.Object({ id: Type.String(), email: Type.String() });
const Ids = Type.Array(Id, { maxItems: 100 });
const NullableText = Type.Union([Type.String(), Type.Null()]);
const Outcome = Type.Enum(['justified', 'not_justified']);

const BreakGlass = Type.Object({
  id: Type.String({ description: '`bgl_` and an opaque string. Send it in the header `X-Break-Glass`.' }),
  status: Type.Enum(['open', 'closed', 'overdue', 'reviewed'], {
    description: '`overdue`: closed for 72 hours without a review.',
  }),
  scope: Type.Object({
    environment_ids: Type.Array(Type.String()),
    project_ids: Type.Array(Type.String()),
    flag_ids: Type.Union([Type.Array(Type.String()), Type.Null()]),
  }),
  justification: Type.String(),
  incident_ref: NullableText,
  one_shot: Type.Boolean({
    description:
      'Whether the session was opened for a single call, by the header `X-Break-Glass-Justification`.',
  }),
  opened_by: Person,
  opened_at: Timestamp,
  expires_at: Timestamp,
  closed_at: Type.Union([Timestamp, Type.Null()]),
  close_reason: Type.Union([Type.Enum(['closed', 'expired', 'session_ended', 'one_shot']), Type.Null()]),
  uses_count: Type.Integer(),
  review: Type.Union([
    Type.Object({ by: Person, at: Timestamp, outcome: Outcome, note: Type.String() }),
    Type.Null(),
  ]),
  revision: Type.Integer(),
});

const Params = Type.Object({ break_glass_id: Id });
const tag = 'Break-glass';

const listBreakGlass = route({
  access: 'break_glass.read',
  operationId: 'listBreakGlass',
  tag,
  summary: 'List break-glass sessions',
  description: 'Returns the break-glass sessions of the organization, newest first.',
  query: Type.Object({
    status: Type.Optional(Type.Enum(['open', 'closed', 'overdue', 'reviewed'])),
    ...pageQuery,
  }),
  answer: [200, Page(BreakGlass)],
});

const openBreakGlass = route({
  access: 'break_glass.use',
  operationId: 'openBreakGlass',
  tag,
  summary: 'Open a break-glass session',
  description:
    'Opens a session that permits changes within its scope during freeze windows. Needs a justification and a recent ' +
    'login, and notifies all admins. Another admin must review it after it is closed.',
  body: Type.Object({
    scope: Type.Object(
      {
        environment_ids: Type.Optional(Ids),
        project_ids: Type.Optional(Ids),
        flag_ids: Type.Optional(Ids),
      },
      {
        // An unknown field may have been meant to narrow the scope.
        additionalProperties: false,
        description: 'At least one environment or project. `flag_ids` narrows the scope to these flags.',
      },
    ),
    justification: Type.Optional(Type.String({ description: 'The reason, at least 20 characters.' })),
    incident_ref: Type.Optional(Type.String({ maxLength: 200 })),
    duration_minutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 240, description: 'Default 60.' })),
  }),
  answer: [201, Data(BreakGlass)],
  errors: ['SCOPE_EMPTY', 'PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'FLAG_NOT_FOUND'],
  writes: true,
});

const getBreakGlass = route({
  access: 'break_glass.read',
  operationId: 'getBreakGlass',
  tag,
  summary: 'Read a break-glass session',
  description: 'Returns one session. The audit log contains its uses.',
  params: Params,
  answer: [200, Data(BreakGlass)],
  errors: ['BREAK_GLASS_NOT_FOUND'],
});

const closeBreakGlass = route({
  access: 'break_glass.use',
  operationId: 'closeBreakGlass',
  tag,
  summary: 'Close a break-glass session',
  description: 'Closes an open session before it expires.',
  params: Params,
  answer: [200, Data(BreakGlass)],
  errors: ['BREAK_GLASS_NOT_FOUND'],
  writes: true,
});

const reviewBreakGlass = route({
  access: 'break_glass.review',
  operationId: 'reviewBreakGlass',
  tag,
  summary: 'Review a break-glass session',
  description:
    'Records whether a closed session was justified. The admin who opened it cannot review it, and it can be reviewed ' +
    'only once.',
  params: Params,
  body: Type.Object({
    outcome: Outcome,
    note: Type.String({ minLength: 1, maxLength: 2_000 }),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(BreakGlass)],
  errors: ['BREAK_GLASS_NOT_FOUND', 'BREAK_GLASS_OPEN', 'BREAK_GLASS_REVIEWED', 'SELF_REVIEW'],
  writes: true,
});

/** `/break-glass`. */
export const breakGlassRoutes: FastifyPluginAsyncTypebox<{ breakGlass: BreakGlassService }> = async (
  app,
  { breakGlass },
) => {
  app.get('/break-glass', listBreakGlass, async (request) => {
    return cutPage(await breakGlass.list(actorOf(request), request.query.status), request.query);
  });

  app.post('/break-glass', openBreakGlass, async (request, reply) => {
    const options = changeOptions(request);
    return sendRecord(reply, await breakGlass.open(actorOf(request), request.body, options), 201);
  });

  app.get('/break-glass/:break_glass_id', getBreakGlass, async (request, reply) =>
    sendRecord(reply, await breakGlass.get(actorOf(request), request.params.break_glass_id)),
  );

  app.post('/break-glass/:break_glass_id/close', closeBreakGlass, async (request, reply) => {
    const options = changeOptions(request);
    return sendRecord(
      reply,
      await breakGlass.close(actorOf(request), request.params.break_glass_id, options),
    );
  });

  app.post('/break-glass/:break_glass_id/review', reviewBreakGlass, async (request, reply) => {
    const wanted = { id: request.params.break_glass_id, review: request.body };
    return sendRecord(reply, await breakGlass.review(actorOf(request), wanted, changeOptions(request)));
  });
};
