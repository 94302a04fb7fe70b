import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import {
  NewServiceAccount,
  NewServiceAccountToken,
  ServiceAccount,
  ServiceAccountPatch,
  ServiceAccountToken,
  ShownServiceAccountToken,
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
  summary: 'List the service accounts, in the order of their making',
  query: Type.Object(pageQuery),
  answer: [200, Page(ServiceAccount)],
});

const createServiceAccount = route({
  access: 'service_account.write',
  operationId: 'createServiceAccount',
  tag,
  summary: 'Create a service account; it can do nothing until it has a token',
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
  params: AccountParams,
  answer: [200, Data(ServiceAccount)],
  errors,
});

const updateServiceAccount = route({
  access: 'service_account.write',
  operationId: 'updateServiceAccount',
  tag,
  summary: 'Change a service account, or disable it; its tokens follow at once',
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
  summary: 'Delete a service account; its tokens end at once',
  params: AccountParams,
  answer: [204],
  errors,
  writes: true,
});

const listServiceAccountTokens = route({
  access: 'service_account.read',
  operationId: 'listServiceAccountTokens',
  tag,
  summary: 'List the tokens of a service account that were not revoked, the newest first',
  params: AccountParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(ServiceAccountToken)],
  errors,
});

const createServiceAccountToken = route({
  access: 'service_account.write',
  operationId: 'createServiceAccountToken',
  tag,
  summary: 'Make a token of a service account; the answer is the only one that shows it',
  params: AccountParams,
  body: NewServiceAccountToken,
  answer: [201, Data(ShownServiceAccountToken)],
  errors,
  writes: true,
});

const revokeServiceAccountToken = route({
  access: 'service_account.write',
  operationId: 'revokeServiceAccountToken',
  tag,
  summary: 'Revoke a token of a service account at once',
  params: TokenParams,
  answer: [204],
  errors: [...errors, 'SERVICE_ACCOUNT_TOKEN_NOT_FOUND'],
  writes: true,
});

/** `/service-accounts` and their tokens. */
export const serviceAccountRoutes: FastifyPluginAsyncTypebox<{
  serviceAccounts: ServiceAccounts;
  serviceTokens: ServiceTokens;
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
    const id = params.service_account_id;
    return sendRecord(reply, await serviceAccounts.update(actorOf(request), id, body, options));
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
      const id = params.service_account_id;
      const record = await serviceTokens.create(actorOf(request), id, body, changeOptions(request));
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
