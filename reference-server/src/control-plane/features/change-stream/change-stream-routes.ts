import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { bearerOf } from '../../../http/bearer.ts';
import { Id } from '../../../http/schemas.ts';
import type { Actor, Origin } from '../../access/actor.ts';
import { actorOf, originOf } from '../../access/request-actor.ts';
import { route } from '../../endpoint/route.ts';
import type { ChangeFeed } from './change-feed.ts';

export interface ChangeStreamDeps {
  readonly feed: ChangeFeed;
  readonly authenticate: (accessToken: string, origin: Origin, beforeQuery: () => void) => Promise<Actor>;
}

const described = route({
  access: 'audit.read',
  operationId: 'streamChanges',
  tag: 'Audit log',
  summary: 'Follow changes as they happen',
  description:
    'Server-sent events for requests with `Accept: text/event-stream`. Each `change` (id: the id of the entry; data: ' +
    'the audit entry, as `GET /audit-log/{audit_entry_id}` returns it) is sent when it is committed, whichever node ' +
    'made it, to everybody who may read it. With `Last-Event-ID`, the stream begins with what was missed; changes of the ' +
    '30 seconds before that entry come again. If it was too much or too long ago, it begins with `reload`: load ' +
    'everything again. A `reload` can also come later. A comment line comes every 15 seconds. Before ' +
    'the server ends a stream, it sends `goodbye` (reason: `shutdown` or `session_ended`). A person can have 10 streams. ' +
    'Without this `Accept`, the answer has what was missed, and ends.',
  query: Type.Object({ project_id: Type.Optional(Id) }),
  answer: [200, Type.String({ description: 'The stream.' })],
});

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Keeps proxies from buffering the events.
  'x-accel-buffering': 'no',
};

/** `/changes/stream`. */
export const changeStreamRoutes: FastifyPluginAsyncTypebox<ChangeStreamDeps> = async (
  app,
  { feed, authenticate },
) => {
  // Open streams would otherwise keep the app from closing.
  app.addHook('preClose', async () => feed.close());
  const schema = { ...described.schema, produces: ['text/event-stream'] };
  app.get('/changes/stream', { ...described, schema, exposeHeadRoute: false }, async (request, reply) => {
    const { headers, query } = request;
    const id = headers['last-event-id'];
    const lastId = typeof id === 'string' ? id : undefined;
    const reader = { actor: actorOf(request), projectId: query.project_id };
    if (!headers.accept?.includes('text/event-stream'))
      return reply.headers(STREAM_HEADERS).send(await feed.missed(reader, lastId));
    const token = bearerOf(headers.authorization) ?? '';
    const origin = originOf(request);
    const page = { ...reader, authenticate: () => authenticate(token, origin, () => {}) };
    const begin = await feed.follow(page, lastId);
    reply.hijack();
    reply.raw.writeHead(200, { ...reply.getHeaders(), ...STREAM_HEADERS } as Record<string, string>);
    begin(reply.raw);
    return reply;
  });
};
