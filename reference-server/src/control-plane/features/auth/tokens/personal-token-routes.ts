import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../../http/envelope.ts';
import { Id } from '../../../../http/schemas.ts';
import { actorOf } from '../../../access/request-actor.ts';
import { changeOptions } from '../../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../../endpoint/paging.ts';
import { route } from '../../../endpoint/route.ts';
import { createdToken, machineToken, NewMachineToken } from '../auth-schemas.ts';
import type { PersonalTokens } from './personal-token-service.ts';

const PersonalToken = Type.Object({
  id: Type.String({ description: '`pat_` and an opaque string; not the token.' }),
  ...machineToken,
});

const tag = 'Authentication';

const listPersonalTokens = route({
  access: 'session.own',
  operationId: 'listPersonalTokens',
  tag,
  summary: 'List your personal tokens',
  description: 'Returns your personal tokens that are not revoked, newest first.',
  query: Type.Object(pageQuery),
  answer: [200, Page(PersonalToken)],
});

const createPersonalToken = route({
  access: 'session.own',
  operationId: 'createPersonalToken',
  tag,
  summary: 'Create a personal token',
  description: 'Creates a token for scripts. Only this answer contains the token itself.',
  body: NewMachineToken,
  answer: [201, Data(Type.Object({ ...PersonalToken.properties, ...createdToken }))],
  writes: true,
});

const revokePersonalToken = route({
  access: 'session.own',
  operationId: 'revokePersonalToken',
  tag,
  summary: 'Revoke a personal token',
  description: 'Revokes one of your personal tokens at once.',
  params: Type.Object({ token_id: Id }),
  answer: [204],
  errors: ['PERSONAL_TOKEN_NOT_FOUND'],
  writes: true,
});

/** `/auth/tokens`. */
export const personalTokenRoutes: FastifyPluginAsyncTypebox<{
  readonly personalTokens: PersonalTokens;
}> = async (app, { personalTokens }) => {
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
