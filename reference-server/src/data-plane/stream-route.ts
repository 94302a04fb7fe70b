import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Type } from 'typebox';
import { addressKey } from '../http/rate-limit.ts';
import type { PublishedRuleset, RulesetLookup } from './ports.ts';
import { StreamHeaders, type StreamQuery, streamSchema } from './schemas.ts';
import type { StreamHub } from './stream-hub.ts';
import { flagsvcDialect, fullDialect } from './stream-messages.ts';

/** `GET /sdk/stream`: says that there is a newer version, which the client then fetches. */
export function streamRoute(
  app: FastifyInstance,
  deps: { readonly lookup: RulesetLookup; readonly hub: StreamHub; readonly admit: onRequestHookHandler },
): void {
  const { lookup, hub, admit } = deps;
  app.get<{ Querystring: Type.Static<typeof StreamQuery> }>(
    '/sdk/stream',
    {
      schema: streamSchema,
      onRequest: admit,
      config: { access: 'apiKey', rateCategory: 'stream', documentedHeaders: StreamHeaders },
      exposeHeadRoute: false,
    },
    (request, reply) => {
      const grant = request.grant!;
      const countKey = grant.kind === 'client' ? `${grant.keyId} ${addressKey(request.ip)}` : grant.keyId;
      hub.requireRoom(grant, countKey);
      const start = (published: PublishedRuleset): void => {
        reply.hijack();
        const subscriber = {
          grant,
          countKey,
          apiKey: request.headers['x-api-key'] as string,
          response: reply.raw,
          dialect: request.query.mode === 'full' ? fullDialect : flagsvcDialect,
          lastVersion: lastVersionOf(request),
        };
        hub.open(subscriber, published, reply.getHeaders());
      };
      const published = lookup.current(grant);
      if (published instanceof Promise) published.then(start).catch((error) => reply.send(error));
      else start(published);
    },
  );
}

function lastVersionOf(request: FastifyRequest): number | undefined {
  const { last_version } = request.query as { last_version?: number };
  const header = request.headers['last-event-id'];
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : last_version;
}
