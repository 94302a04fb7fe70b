import type { EventBatch } from '@flagsvc/sdk-core';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { data } from '../../http/envelope.ts';
import type { EventSink, UsageMeter } from '../ports.ts';
import { eventsSchema } from '../schemas.ts';
import { checkEvents } from './check-events.ts';

/** `POST /sdk/events`: a broken envelope gets 400; a broken event is rejected alone. */
export function eventsRoute(
  app: FastifyInstance,
  deps: {
    readonly sink: EventSink;
    readonly authenticate: onRequestHookHandler;
    readonly now: () => number;
    readonly meter: UsageMeter | undefined;
  },
): void {
  const { sink, authenticate, now, meter } = deps;
  app.post<{ Body: EventBatch }>(
    '/sdk/events',
    {
      schema: eventsSchema,
      onRequest: authenticate,
      config: { access: 'apiKey', rateCategory: 'events', takesMsgpack: true, takesDepth: true },
    },
    async (request, reply) => {
      const { valid, rejected } = checkEvents(request.body.events, now());
      const grant = request.grant!;
      const batch = { ...request.body, events: valid };
      const receipt = await sink.accept(grant, batch, rejected);
      if (receipt.duplicate !== true) meter?.recordEvents(grant, batch);
      return reply.code(202).send(data(receipt));
    },
  );
}
