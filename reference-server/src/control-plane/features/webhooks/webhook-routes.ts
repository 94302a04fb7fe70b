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
  summary: 'List the webhooks of the organization, or of one project',
  query: Type.Object({ project_id: Type.Optional(Id), ...pageQuery }),
  answer: [200, Page(Webhook)],
  errors: ['PROJECT_NOT_FOUND'],
});

const createWebhook = route({
  access: 'webhook.write',
  operationId: 'createWebhook',
  tag,
  summary: 'Create a webhook; its secret is shown in this answer only',
  body: NewWebhook,
  answer: [201, Data(WebhookWithSecret)],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'URL_NOT_ALLOWED'],
  writes: true,
});

const getWebhook = route({
  access: 'webhook.read',
  operationId: 'getWebhook',
  tag,
  summary: 'Read one webhook',
  params: Params,
  answer: [200, Data(Webhook)],
  errors: ['WEBHOOK_NOT_FOUND'],
});

const updateWebhook = route({
  access: 'webhook.write',
  operationId: 'updateWebhook',
  tag,
  summary: 'Change a webhook; what is absent is kept',
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
  summary: 'Delete a webhook and all that was to be sent to it',
  params: Params,
  answer: [204],
  errors: ['WEBHOOK_NOT_FOUND'],
  writes: true,
});

const rotateSecret = route({
  access: 'webhook.write',
  operationId: 'rotateWebhookSecret',
  tag,
  summary: 'Give a webhook a new secret; for a while the old one signs too',
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
  summary: 'Enable a webhook that was disabled; what it has missed can be replayed',
  params: Params,
  answer: [200, Data(Webhook)],
  errors: ['WEBHOOK_NOT_FOUND'],
  writes: true,
});

const getPublicKey = route({
  access: 'webhook.read',
  operationId: 'getWebhookPublicKey',
  tag,
  summary: 'Read the key that checks the Ed25519 signatures of a webhook',
  params: Params,
  answer: [200, Data(Type.Object({ public_key: Type.Union([Type.String(), Type.Null()]) }))],
  errors: ['WEBHOOK_NOT_FOUND'],
});

/** `/webhooks`. */
export const webhookRoutes: FastifyPluginAsyncTypebox<{
  webhooks: WebhookService & WebhookReader;
}> = async (app, { webhooks }) => {
  app.get('/webhooks', listWebhooks, async (request) => {
    const { project_id, ...query } = request.query;
    const range = pageOf(query);
    const { items, total } = await webhooks.list(actorOf(request), project_id, range);
    return page(items, { ...range, total });
  });

  app.post('/webhooks', createWebhook, async (request, reply) =>
    sendRecord(reply, await webhooks.create(actorOf(request), request.body, changeOptions(request)), 201),
  );

  app.get('/webhooks/:webhook_id', getWebhook, async (request, reply) =>
    sendRecord(reply, await webhooks.get(actorOf(request), request.params.webhook_id)),
  );

  app.patch('/webhooks/:webhook_id', updateWebhook, async (request, reply) => {
    const { webhook_id } = request.params;
    return sendRecord(
      reply,
      await webhooks.update(actorOf(request), webhook_id, request.body, changeOptions(request)),
    );
  });

  app.delete('/webhooks/:webhook_id', deleteWebhook, async (request, reply) => {
    await webhooks.remove(actorOf(request), request.params.webhook_id, changeOptions(request));
    return reply.code(204).send();
  });

  app.post('/webhooks/:webhook_id/rotate-secret', rotateSecret, async (request, reply) => {
    const { overlap_hours = 24 } = request.body;
    const { webhook_id } = request.params;
    return sendRecord(
      reply,
      await webhooks.rotate(actorOf(request), webhook_id, overlap_hours, changeOptions(request)),
    );
  });

  app.post('/webhooks/:webhook_id/enable', enableWebhook, async (request, reply) =>
    sendRecord(
      reply,
      await webhooks.enable(actorOf(request), request.params.webhook_id, changeOptions(request)),
    ),
  );

  app.get('/webhooks/:webhook_id/public-key', getPublicKey, async (request) => {
    const { public_key } = await webhooks.get(actorOf(request), request.params.webhook_id);
    return { data: { public_key } };
  });
};
