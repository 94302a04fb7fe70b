import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import type { ErasureService } from './erasure-service.ts';
import type { ErasureRow } from './erasure-store.ts';

const tag = 'Events';

const Erasure = Type.Object({
  id: Type.String(),
  status: Type.Enum(['pending', 'completed']),
  created_at: Timestamp,
  completed_at: Type.Union([Timestamp, Type.Null()]),
  exposures: Type.Integer({ minimum: 0, description: 'Deleted exposures; 0 while the order waits.' }),
  track_events: Type.Integer({ minimum: 0, description: 'Deleted track events; 0 while the order waits.' }),
});

const createErasure = route({
  access: 'erasure.write',
  operationId: 'createErasure',
  tag,
  summary: 'Delete the events of a user',
  description:
    'Orders the deletion of all exposures and track events of a user key in every environment of the organization. A ' +
    'background job carries the order out within about a minute and then forgets the key; the audit log records both ' +
    'steps without it. Counts of evaluations name no users and stay. Clients can send events up to 72 hours late, so ' +
    'order again after that time if the user was active until now.',
  body: Type.Object({
    user_key: Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: 'As your code passes it to the SDK; also if keys are stored as hashes.',
    }),
    comment: Type.Optional(Comment),
  }),
  answer: [202, Data(Erasure)],
  writes: true,
});

const listErasures = route({
  access: 'erasure.read',
  operationId: 'listErasures',
  tag,
  summary: 'List the erasures',
  description:
    'Returns the orders to delete the events of users, newest first, without the keys of the users.',
  query: Type.Object(pageQuery),
  answer: [200, Page(Erasure)],
});

/** `/erasures`. */
export const erasureRoutes: FastifyPluginAsyncTypebox<{ erasures: ErasureService }> = async (
  app,
  { erasures },
) => {
  app.post('/erasures', createErasure, async (request, reply) => {
    const order = await erasures.order(actorOf(request), request.body.user_key, changeOptions(request));
    return reply.code(202).send(data(toErasure(order)));
  });
  app.get('/erasures', listErasures, async (request) =>
    cutPage((await erasures.list(actorOf(request))).map(toErasure), request.query),
  );
};

const toErasure = ({ id, created_at, completed_at, exposures, track_events }: ErasureRow) => ({
  id,
  status: completed_at === null ? ('pending' as const) : ('completed' as const),
  created_at,
  completed_at,
  exposures,
  track_events,
});
