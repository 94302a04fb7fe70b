import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../../http/envelope.ts';
import { Id } from '../../../../http/schemas.ts';
import { normalizeTimestamp } from '../../../../http/timestamps.ts';
import { actorOf } from '../../../access/request-actor.ts';
import { changeOptions } from '../../../endpoint/change-options.ts';
import { pageOf, pageQuery } from '../../../endpoint/paging.ts';
import { route } from '../../../endpoint/route.ts';
import { Delivery, DeliveryPage, ReplayAnswer, ReplayBody, WebhookMessage } from '../webhook-schemas.ts';
import type { DeliveryService } from './delivery-service.ts';

const OfWebhook = Type.Object({ webhook_id: Id });
const OfMessage = Type.Object({ message_id: Id });
const tag = 'Webhooks';

const testWebhook = route({
  access: 'webhook.write',
  rateCategory: 'bulk',
  operationId: 'testWebhook',
  tag,
  summary: 'Send a ping now and tell what came of it',
  params: OfWebhook,
  isPost: true,
  answer: [200, Data(Delivery)],
  errors: ['WEBHOOK_NOT_FOUND'],
});

const listDeliveries = route({
  access: 'webhook_delivery.read',
  operationId: 'listWebhookDeliveries',
  tag,
  summary: 'List the attempts of 30 days, the newest first',
  params: OfWebhook,
  query: Type.Object({
    status: Type.Optional(Type.Enum(['succeeded', 'failed'])),
    event: Type.Optional(Type.String({ maxLength: 100 })),
    cursor: Type.Optional(
      Type.String({ pattern: '^dlv_', maxLength: 64, description: '`meta.next_cursor`.' }),
    ),
    ...pageQuery,
  }),
  answer: [200, DeliveryPage],
  errors: ['WEBHOOK_NOT_FOUND'],
});

const replayWebhook = route({
  access: 'webhook.write',
  rateCategory: 'bulk',
  operationId: 'replayWebhook',
  tag,
  summary: 'Send the messages of a time again, such as those that an outage has cost',
  params: OfWebhook,
  body: ReplayBody,
  answer: [202, ReplayAnswer],
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
  writes: true,
});

const getMessage = route({
  access: 'webhook_delivery.read',
  operationId: 'getWebhookMessage',
  tag,
  summary: 'Read one message with its attempts',
  params: OfMessage,
  answer: [200, Data(WebhookMessage)],
  errors: ['WEBHOOK_MESSAGE_NOT_FOUND'],
});

const redeliverMessage = route({
  access: 'webhook.write',
  operationId: 'redeliverWebhookMessage',
  tag,
  summary: 'Send one message once more, under its own id',
  params: OfMessage,
  answer: [202, Data(WebhookMessage)],
  errors: ['WEBHOOK_MESSAGE_NOT_FOUND', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
  writes: true,
});

/** `/webhooks/{id}/deliveries` and what belongs to it. */
export const deliveryRoutes: FastifyPluginAsyncTypebox<{ deliveries: DeliveryService }> = async (
  app,
  { deliveries },
) => {
  app.post('/webhooks/:webhook_id/test', testWebhook, async (request) =>
    data(await deliveries.test(actorOf(request), request.params.webhook_id)),
  );

  app.get('/webhooks/:webhook_id/deliveries', listDeliveries, async (request) => {
    const { status, event, cursor, ...query } = request.query;
    const { page, per_page, limit, offset } = pageOf(query);
    const { items, total, nextCursor } = await deliveries.list(actorOf(request), request.params.webhook_id, {
      status,
      event,
      cursor,
      limit,
      // A cursor is a place of its own: pages are not counted from it.
      offset: cursor === undefined ? offset : 0,
    });
    return { data: [...items], meta: { page, per_page, total, next_cursor: nextCursor } };
  });

  app.post('/webhooks/:webhook_id/replay', replayWebhook, async (request, reply) => {
    const { from, to, status = 'exhausted' } = request.body;
    const range = { from: normalizeTimestamp(from, 'from'), to: normalizeTimestamp(to, 'to'), status };
    const { webhook_id } = request.params;
    const replayed = await deliveries.replay(actorOf(request), webhook_id, range, changeOptions(request));
    return reply.code(202).send(data(replayed));
  });

  app.get('/webhook-messages/:message_id', getMessage, async (request) =>
    data(await deliveries.getMessage(actorOf(request), request.params.message_id)),
  );

  app.post('/webhook-messages/:message_id/redeliver', redeliverMessage, async (request, reply) => {
    const { message_id } = request.params;
    const message = await deliveries.redeliver(actorOf(request), message_id, changeOptions(request));
    return reply.code(202).send(data(message));
  });
};
