import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page, page } from '../../../http/envelope.ts';
import { Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import type { WebhookReader } from './webhook-reader.ts';
import { NewWebhook, RotateBody, Webhook, WebhookPatch, WebhookWithSecret } from './webhook-schemas.ts';
import type { WebhookService } from './webhook-service.ts';

const Params = Type.Object({ webhook_id: Id });
const tag = 'Webhooks';

const listWebhooks = route({
  access: 'webhook.read',
  operationId: 'listWebhooks',
  tag,
  summary: 'List webhooks',
  description: 'Returns all webhooks of the organization, or those of one project, oldest first.',
  query: Type.Object({ project_id: Type.Optional(Id), ...pageQuery }),
  answer: [200, Page(Webhook)],
  errors: ['PROJECT_NOT_FOUND'],
});

const createWebhook = route({
  access: 'webhook.write',
  operationId: 'createWebhook',
  tag,
  summary: 'Create a webhook',
  description: 'Creates an enabled webhook. Only this answer contains its secret.',
  body: NewWebhook,
  answer: [201, Data(WebhookWithSecret)],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'URL_NOT_ALLOWED'],
  writes: true,
});

const getWebhook = route({
  access: 'webhook.read',
  operationId: 'getWebhook',
  tag,
  summary: 'Read a webhook',
  description: 'Returns one webhook with its status.',
  params: Params,
  answer: [200, Data(Webhook)],
  errors: ['WEBHOOK_NOT_FOUND'],
});

const updateWebhook = route({
  access: 'webhook.write',
  operationId: 'updateWebhook',
  tag,
  summary: 'Update a webhook',
  description: 'Changes the given fields; absent fields keep their value.',
  params: Params,
  body: WebhookPatch,
  answer: [200, Data(Webhook)],
  errors: ['WEBHOOK_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'URL_NOT_ALLOWED'],
  writes: true,
});

const deleteWebhook = route({
  access: 'webhook.write',
  operationId: 'deleteWebhook',
  tag,
  summary: 'Delete a webhook',
  description: 'Deletes a webhook with its messages, including those that are still to be sent.',
  params: Params,
  answer: [204],
  errors: ['WEBHOOK_NOT_FOUND'],
  writes: true,
});

const rotateSecret = route({
  access: 'webhook.write',
  operationId: 'rotateWebhookSecret',
  tag,
  summary: 'Rotate the secret of a webhook',
  description:
    'Creates a new secret. For a while the old one signs as well. Only this answer contains the new secret.',
  params: Params,
  body: RotateBody,
  answer: [200, Data(WebhookWithSecret)],
  errors: ['WEBHOOK_NOT_FOUND'],
  writes: true,
});

const enableWebhook = route({
  access: 'webhook.write',
  operationId: 'enableWebhook',
  tag,
  summary: 'Enable a webhook',
  description:
    'Enables a disabled webhook. To send the messages that it missed, call `POST /webhooks/{id}/replay`.',
  params: Params,
  answer: [200, Data(Webhook)],
  errors: ['WEBHOOK_NOT_FOUND'],
  writes: true,
});

const getPublicKey = route({
  access: 'webhook.read',
  operationId: 'getWebhookPublicKey',
  tag,
  summary: 'Read the public key of a webhook',
  description: 'Returns the key for checking Ed25519 signatures; null for a webhook that signs with HMAC.',
  params: Params,
  answer: [200, Data(Type.Object({ public_key: Type.Union([Type.String(), Type.Null()]) }))],
  errors: ['WEBHOOK_NOT_FOUND'],
});

/** `/webhooks`. */
export const webhookRoutes: FastifyPluginAsyncTypebox<{
  readonly webhooks: WebhookService;
  readonly reader: WebhookReader;
}> = async (app, { webhooks, reader }) => {
  app.get('/webhooks', listWebhooks, async (request) => {
    const { project_id: projectId, ...query } = request.query;
    const range = pageOf(query);
    const { items, total } = await reader.list(actorOf(request), { projectId, ...range });
    return page(items, { ...range, total });
  });

  app.post('/webhooks', createWebhook, async (request, reply) =>
    sendRecord(reply, await webhooks.create(actorOf(request), request.body, changeOptions(request)), 201),
  );

  app.get('/webhooks/:webhook_id', getWebhook, async (request, reply) =>
    sendRecord(reply, await reader.get(actorOf(request), request.params.webhook_id)),
  );

  app.patch('/webhooks/:webhook_id', updateWebhook, async (request, reply) => {
    const input = { id: request.params.webhook_id, patch: request.body };
    return sendRecord(reply, await webhooks.update(actorOf(request), input, changeOptions(request)));
  });

  app.delete('/webhooks/:webhook_id', deleteWebhook, async (request, reply) => {
    await webhooks.remove(actorOf(request), request.params.webhook_id, changeOptions(request));
    return reply.code(204).send();
  });

  app.post('/webhooks/:webhook_id/rotate-secret', rotateSecret, async (request, reply) => {
    const input = { id: request.params.webhook_id, overlapHours: request.body.overlap_hours ?? 24 };
    return sendRecord(reply, await webhooks.rotate(actorOf(request), input, changeOptions(request)));
  });

  app.post('/webhooks/:webhook_id/enable', enableWebhook, async (request, reply) =>
    sendRecord(
      reply,
      await webhooks.enable(actorOf(request), request.params.webhook_id, changeOptions(request)),
    ),
  );

  app.get('/webhooks/:webhook_id/public-key', getPublicKey, async (request) => {
    const { public_key } = await reader.get(actorOf(request), request.params.webhook_id);
    return { data: { public_key } };
  });
};
