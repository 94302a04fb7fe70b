import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Type } from 'typebox';
import { ApiError } from '../../http/errors.ts';
import { visitorOf } from '../authenticate-sdk-key.ts';
import type { KeyGrant, PublishedRuleset, RulesetLookup } from '../ports.ts';
import { requireRelay } from '../relay/require-relay.ts';
import {
  type RelayStreamQuery,
  relayStreamSchema,
  StreamHeaders,
  type StreamQuery,
  streamSchema,
} from '../schemas.ts';
import type { StreamHub } from './stream-hub.ts';
import { flagsvcDialect, forRelays, fullDialect, type StreamDialect } from './stream-messages.ts';

export interface StreamRouteDeps {
  readonly lookup: RulesetLookup;
  readonly hub: StreamHub;
  readonly authenticate: onRequestHookHandler;
}

/** `GET /sdk/stream` and, for relays, `GET /relay/stream`: notify clients of new versions, which they then fetch. */
export function streamRoutes(app: FastifyInstance, deps: StreamRouteDeps): void {
  const options = {
    config: { access: 'apiKey', rateCategory: 'stream', documentedHeaders: StreamHeaders },
    exposeHeadRoute: false,
  } as const;
  app.get<{ Querystring: Type.Static<typeof StreamQuery> }>(
    '/sdk/stream',
    { ...options, onRequest: deps.authenticate, schema: streamSchema },
    (request, reply) => openStream(deps, request, { reply, dialect: dialectOf(request.query) }),
  );
  app.get<{ Querystring: Type.Static<typeof RelayStreamQuery> }>(
    '/relay/stream',
    { ...options, onRequest: [deps.authenticate, requireRelay], schema: relayStreamSchema },
    (request, reply) => {
      requireOwnEnvironment(request.grant!, request.query.environment_ids);
      openStream(deps, request, { reply, dialect: forRelays(dialectOf(request.query)) });
    },
  );
}

function openStream(
  { lookup, hub }: StreamRouteDeps,
  request: FastifyRequest<{ Querystring: Type.Static<typeof StreamQuery> }>,
  { reply, dialect }: { readonly reply: FastifyReply; readonly dialect: StreamDialect },
): void {
  const grant = request.grant!;
  const countKey = visitorOf(grant, request.ip);
  hub.requireRoom(grant, countKey);
  const start = (published: PublishedRuleset): void => {
    reply.hijack();
    const subscriber = {
      grant,
      countKey,
      apiKey: request.headers['x-api-key'] as string,
      response: reply.raw,
      dialect,
      lastVersion: lastVersionOf(request),
    };
    hub.open(subscriber, published, reply.getHeaders());
  };
  const published = lookup.current(grant);
  if (published instanceof Promise) published.then(start).catch((error) => reply.send(error));
  else start(published);
}

/** Throws ENVIRONMENT_NOT_FOUND for an environment to which the key gives no access. */
function requireOwnEnvironment({ environmentId }: KeyGrant, environmentIds = environmentId): void {
  const other = environmentIds.split(',').find((id) => id !== environmentId);
  if (other === undefined) return;
  throw new ApiError('ENVIRONMENT_NOT_FOUND', {
    details: { field: 'environment_ids', environment_id: other },
  });
}

function dialectOf({ mode }: Type.Static<typeof StreamQuery>): StreamDialect {
  return mode === 'full' ? fullDialect : flagsvcDialect;
}

function lastVersionOf(request: FastifyRequest): number | undefined {
  const { last_version } = request.query as { last_version?: number };
  const header = request.headers['last-event-id'];
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : last_version;
}
