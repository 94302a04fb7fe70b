import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import {
  CreatedServiceAccountToken,
  NewServiceAccount,
  NewServiceAccountToken,
  ServiceAccount,
  ServiceAccountPatch,
  ServiceAccountToken,
} from './service-account-schemas.ts';
import type { ServiceAccounts } from './service-account-service.ts';
import type { ServiceTokens } from './service-token-service.ts';

const tag = 'Service accounts';
const AccountParams = Type.Object({ service_account_id: Id });
const TokenParams = Type.Object({ service_account_id: Id, service_token_id: Id });
const errors = ['SERVICE_ACCOUNT_NOT_FOUND'] as const;
const rightsErrors = ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'] as const;

const listServiceAccounts = route({
  access: 'service_account.read',
  operationId: 'listServiceAccounts',
  tag,
  summary: 'List service accounts',
  description: 'Returns all service accounts of the organization, oldest first.',
  query: Type.Object(pageQuery),
  answer: [200, Page(ServiceAccount)],
});

const createServiceAccount = route({
  access: 'service_account.write',
  operationId: 'createServiceAccount',
  tag,
  summary: 'Create a service account',
  description: 'Creates an account for a program. It needs a token before it can call the API.',
  body: NewServiceAccount,
  answer: [201, Data(ServiceAccount)],
  errors: rightsErrors,
  writes: true,
});

const getServiceAccount = route({
  access: 'service_account.read',
  operationId: 'getServiceAccount',
  tag,
  summary: 'Read a service account',
  description: 'Returns one service account with its roles.',
  params: AccountParams,
  answer: [200, Data(ServiceAccount)],
  errors,
});

const updateServiceAccount = route({
  access: 'service_account.write',
  operationId: 'updateServiceAccount',
  tag,
  summary: 'Update a service account',
  description:
    'Changes the given fields; absent fields keep their value. The change applies to its tokens at once.',
  params: AccountParams,
  body: ServiceAccountPatch,
  answer: [200, Data(ServiceAccount)],
  errors: [...errors, ...rightsErrors],
  writes: true,
});

const deleteServiceAccount = route({
  access: 'service_account.write',
  operationId: 'deleteServiceAccount',
  tag,
  summary: 'Delete a service account',
  description: 'Deletes a service account. Its tokens stop working at once.',
  params: AccountParams,
  answer: [204],
  errors,
  writes: true,
});

const listServiceAccountTokens = route({
  access: 'service_account.read',
  operationId: 'listServiceAccountTokens',
  tag,
  summary: 'List the tokens of a service account',
  description: 'Returns the tokens that are not revoked, newest first.',
  params: AccountParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(ServiceAccountToken)],
  errors,
});

const createServiceAccountToken = route({
  access: 'service_account.write',
  operationId: 'createServiceAccountToken',
  tag,
  summary: 'Create a token of a service account',
  description: 'Creates a token. Only this answer contains the token itself.',
  params: AccountParams,
  body: NewServiceAccountToken,
  answer: [201, Data(CreatedServiceAccountToken)],
  errors,
  writes: true,
});

/** A day, which leaves time to put the new token in place. */
const GRACE_MINUTES = 1_440;

const rotateServiceAccountToken = route({
  access: 'service_account.write',
  operationId: 'rotateServiceAccountToken',
  tag,
  summary: 'Rotate a token of a service account',
  description:
    'Creates a token with the name, scopes and lifetime of this one, which keeps working for a grace period. Only ' +
    'this answer contains the new token.',
  params: TokenParams,
  body: Type.Object({
    grace_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_080,
        description:
          'Minutes for which this token keeps working, at most until it expires. Default 1440, a day. Use 0 for a leaked token.',
      }),
    ),
    comment: Type.Optional(Comment),
  }),
  answer: [201, Data(CreatedServiceAccountToken)],
  errors: [...errors, 'SERVICE_ACCOUNT_TOKEN_NOT_FOUND'],
  writes: true,
});

const revokeServiceAccountToken = route({
  access: 'service_account.write',
  operationId: 'revokeServiceAccountToken',
  tag,
  summary: 'Revoke a token of a service account',
  description: 'Revokes a token at once.',
  params: TokenParams,
  answer: [204],
  errors: [...errors, 'SERVICE_ACCOUNT_TOKEN_NOT_FOUND'],
  writes: true,
});

/** `/service-accounts` and their tokens. */
export const serviceAccountRoutes: FastifyPluginAsyncTypebox<{
  readonly serviceAccounts: ServiceAccounts;
  readonly serviceTokens: ServiceTokens;
}> = async (app, { serviceAccounts, serviceTokens }) => {
  app.get('/service-accounts', listServiceAccounts, async (request) => {
    return cutPage(await serviceAccounts.list(actorOf(request)), request.query);
  });

  app.post('/service-accounts', createServiceAccount, async (request, reply) => {
    const { body } = request;
    const record = await serviceAccounts.create(actorOf(request), body, changeOptions(request));
    return sendRecord(reply, record, 201);
  });

  app.get('/service-accounts/:service_account_id', getServiceAccount, async (request, reply) =>
    sendRecord(reply, await serviceAccounts.get(actorOf(request), request.params.service_account_id)),
  );

  app.patch('/service-accounts/:service_account_id', updateServiceAccount, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const input = { id: params.service_account_id, patch: body };
    return sendRecord(reply, await serviceAccounts.update(actorOf(request), input, options));
  });

  app.delete('/service-accounts/:service_account_id', deleteServiceAccount, async (request, reply) => {
    const id = request.params.service_account_id;
    await serviceAccounts.remove(actorOf(request), id, changeOptions(request));
    return reply.code(204).send();
  });

  app.get('/service-accounts/:service_account_id/tokens', listServiceAccountTokens, async (request) => {
    return cutPage(
      await serviceTokens.list(actorOf(request), request.params.service_account_id),
      request.query,
    );
  });

  app.post(
    '/service-accounts/:service_account_id/tokens',
    createServiceAccountToken,
    async (request, reply) => {
      const { params, body } = request;
      const input = { serviceAccountId: params.service_account_id, token: body };
      const record = await serviceTokens.create(actorOf(request), input, changeOptions(request));
      return reply.code(201).send(data(record));
    },
  );

  app.post(
    '/service-accounts/:service_account_id/tokens/:service_token_id/rotate',
    rotateServiceAccountToken,
    async (request, reply) => {
      const { service_account_id: serviceAccountId, service_token_id: tokenId } = request.params;
      const { grace_minutes: graceMinutes = GRACE_MINUTES } = request.body;
      const input = { serviceAccountId, tokenId, graceMinutes };
      const record = await serviceTokens.rotate(actorOf(request), input, changeOptions(request));
      return reply.code(201).send(data(record));
    },
  );

  app.delete(
    '/service-accounts/:service_account_id/tokens/:service_token_id',
    revokeServiceAccountToken,
    async (request, reply) => {
      const { service_account_id: serviceAccountId, service_token_id: tokenId } = request.params;
      await serviceTokens.revoke(actorOf(request), { serviceAccountId, tokenId }, changeOptions(request));
      return reply.code(204).send();
    },
  );
};
