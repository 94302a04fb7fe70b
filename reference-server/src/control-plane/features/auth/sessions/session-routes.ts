import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../../http/envelope.ts';
import { Id, Timestamp } from '../../../../http/schemas.ts';
import { actorOf } from '../../../access/request-actor.ts';
import { changeOptions } from '../../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../../endpoint/paging.ts';
import { route } from '../../../endpoint/route.ts';
import type { SessionService } from './session-service.ts';

const NullableText = Type.Union([Type.String(), Type.Null()]);
const NullableTime = Type.Union([Timestamp, Type.Null()]);

const Session = Type.Object({
  id: Type.String({ description: '`ses_` and an opaque string.' }),
  current: Type.Boolean({ description: 'True for the session of this request.' }),
  ip: NullableText,
  user_agent: NullableText,
  created_at: Timestamp,
  authenticated_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When the password was last given.',
  }),
  last_used_at: NullableTime,
  expires_at: Timestamp,
});

const tag = 'Authentication';

const listSessions = route({
  access: 'session.own',
  operationId: 'listSessions',
  tag,
  summary: 'List your sessions',
  description: 'Returns your open sessions, newest first.',
  query: Type.Object(pageQuery),
  answer: [200, Page(Session)],
});

const revokeSession = route({
  access: 'session.own',
  operationId: 'revokeSession',
  tag,
  summary: 'End a session',
  description: 'Ends one of your sessions at once.',
  params: Type.Object({ session_id: Id }),
  answer: [204],
  errors: ['SESSION_NOT_FOUND'],
  writes: true,
});

const revokeOtherSessions = route({
  access: 'session.own',
  operationId: 'revokeOtherSessions',
  tag,
  summary: 'End your other sessions',
  description: 'Ends all your sessions except the one of this request.',
  answer: [200, Data(Type.Object({ revoked: Type.Integer() }))],
  writes: true,
});

/** `/auth/sessions`. */
export const sessionRoutes: FastifyPluginAsyncTypebox<{ readonly sessions: SessionService }> = async (
  app,
  { sessions },
) => {
  app.get('/auth/sessions', listSessions, async (request) => {
    return cutPage(await sessions.list(actorOf(request)), request.query);
  });

  app.delete('/auth/sessions', revokeOtherSessions, async (request) =>
    data(await sessions.revokeOthers(actorOf(request), changeOptions(request))),
  );

  app.delete('/auth/sessions/:session_id', revokeSession, async (request, reply) => {
    await sessions.revoke(actorOf(request), request.params.session_id, changeOptions(request));
    return reply.code(204).send();
  });
};
