import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../../http/envelope.ts';
import { Id, Timestamp } from '../../../../http/schemas.ts';
import { actorOf } from '../../../access/request-actor.ts';
import { changeOptions } from '../../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../../endpoint/paging.ts';
import { route } from '../../../endpoint/route.ts';
import { NewProgramToken, programToken, shownToken } from '../auth-schemas.ts';
import type { PersonalTokens } from '../tokens/personal-token-service.ts';
import type { SessionService } from './session-service.ts';

const NullableText = Type.Union([Type.String(), Type.Null()]);
const NullableTime = Type.Union([Timestamp, Type.Null()]);

const Session = Type.Object({
  id: Type.String({ description: '`ses_` and an opaque string.' }),
  current: Type.Boolean({ description: 'True for the session that asks.' }),
  ip: NullableText,
  user_agent: NullableText,
  created_at: Timestamp,
  authenticated_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When the password was last given.',
  }),
  last_used_at: NullableTime,
  expires_at: Timestamp,
});

const PersonalToken = Type.Object({
  id: Type.String({ description: '`pat_` and an opaque string; not the token.' }),
  ...programToken,
});

const tag = 'Authentication';

const listSessions = route({
  access: 'session.own',
  operationId: 'listSessions',
  tag,
  summary: 'List one’s own sessions, the newest first',
  query: Type.Object(pageQuery),
  answer: [200, Page(Session)],
});

const revokeSession = route({
  access: 'session.own',
  operationId: 'revokeSession',
  tag,
  summary: 'End one of one’s own sessions at once',
  params: Type.Object({ session_id: Id }),
  answer: [204],
  errors: ['SESSION_NOT_FOUND'],
  writes: true,
});

const revokeOtherSessions = route({
  access: 'session.own',
  operationId: 'revokeOtherSessions',
  tag,
  summary: 'End all of one’s own sessions but this one',
  answer: [200, Data(Type.Object({ revoked: Type.Integer() }))],
  writes: true,
});

const listPersonalTokens = route({
  access: 'session.own',
  operationId: 'listPersonalTokens',
  tag,
  summary: 'List one’s own personal tokens, the newest first',
  query: Type.Object(pageQuery),
  answer: [200, Page(PersonalToken)],
});

const createPersonalToken = route({
  access: 'session.own',
  operationId: 'createPersonalToken',
  tag,
  summary: 'Make a personal token for scripts; the answer is the only one that shows it',
  body: NewProgramToken,
  answer: [201, Data(Type.Object({ ...PersonalToken.properties, ...shownToken }))],
  writes: true,
});

const revokePersonalToken = route({
  access: 'session.own',
  operationId: 'revokePersonalToken',
  tag,
  summary: 'Revoke one of one’s own personal tokens at once',
  params: Type.Object({ token_id: Id }),
  answer: [204],
  errors: ['PERSONAL_TOKEN_NOT_FOUND'],
  writes: true,
});

/** `/auth/sessions` and `/auth/tokens`. */
export const sessionRoutes: FastifyPluginAsyncTypebox<{
  sessions: SessionService;
  personalTokens: PersonalTokens;
}> = async (app, { sessions, personalTokens }) => {
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

  app.get('/auth/tokens', listPersonalTokens, async (request) => {
    return cutPage(await personalTokens.list(actorOf(request)), request.query);
  });

  app.post('/auth/tokens', createPersonalToken, async (request, reply) => {
    const record = await personalTokens.create(actorOf(request), request.body, changeOptions(request));
    return reply.code(201).send(data(record));
  });

  app.delete('/auth/tokens/:token_id', revokePersonalToken, async (request, reply) => {
    await personalTokens.revoke(actorOf(request), request.params.token_id, changeOptions(request));
    return reply.code(204).send();
  });
};
