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
  summary: 'Test a webhook',
  description: 'Sends a `ping` now, also to a disabled webhook, and returns the result.',
  params: OfWebhook,
  isPost: true,
  answer: [200, Data(Delivery)],
  errors: ['WEBHOOK_NOT_FOUND'],
});

const listDeliveries = route({
  access: 'webhook_delivery.read',
  operationId: 'listWebhookDeliveries',
  tag,
  summary: 'List deliveries',
  description: 'Returns the delivery attempts of the last 30 days, newest first.',
  params: OfWebhook,
  query: Type.Object({
    status: Type.Optional(Type.Enum(['succeeded', 'failed'])),
    event: Type.Optional(Type.String({ maxLength: 100 })),
    cursor: Type.Optional(
      Type.String({
        pattern: '^dlv_',
        maxLength: 64,
        description: '`meta.next_cursor` of the previous page.',
      }),
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
  summary: 'Replay messages',
  description: 'Sends messages of a period again, for instance those that were lost in an outage.',
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
  summary: 'Read a message',
  description: 'Returns one message with its delivery attempts.',
  params: OfMessage,
  answer: [200, Data(WebhookMessage)],
  errors: ['WEBHOOK_MESSAGE_NOT_FOUND'],
});

const redeliverMessage = route({
  access: 'webhook.write',
  operationId: 'redeliverWebhookMessage',
  tag,
  summary: 'Redeliver a message',
  description: 'Sends a message once more, with the same id.',
  params: OfMessage,
  answer: [202, Data(WebhookMessage)],
  errors: ['WEBHOOK_MESSAGE_NOT_FOUND', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
  writes: true,
});

/** `/webhooks/{webhook_id}/deliveries`, `/test` and `/replay`, and `/webhook-messages`. */
export const deliveryRoutes: FastifyPluginAsyncTypebox<{ readonly deliveries: DeliveryService }> = async (
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
      // With a cursor, the page number has no effect.
      offset: cursor === undefined ? offset : 0,
    });
    return { data: [...items], meta: { page, per_page, total, next_cursor: nextCursor } };
  });

  app.post('/webhooks/:webhook_id/replay', replayWebhook, async (request, reply) => {
    const { from, to, status = 'exhausted' } = request.body;
    const range = { from: normalizeTimestamp(from, 'from'), to: normalizeTimestamp(to, 'to'), status };
    const input = { webhookId: request.params.webhook_id, range };
    const replayed = await deliveries.replay(actorOf(request), input, changeOptions(request));
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
