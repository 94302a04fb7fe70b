import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { FreezeStatus, FreezeWindow, FreezeWindowPatch, NewFreezeWindow } from './freeze-schemas.ts';
import type { FreezeService } from './freeze-service.ts';

const Params = Type.Object({ freeze_window_id: Id });
const SCOPE_ERRORS = ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RECURRENCE_INVALID'] as const;
const tag = 'Freeze windows';

const listFreezeWindows = route({
  access: 'freeze_window.read',
  operationId: 'listFreezeWindows',
  tag,
  summary: 'List freeze windows, the newest first',
  query: Type.Object({
    status: Type.Optional(Type.Enum(['scheduled', 'active', 'ended', 'cancelled'])),
    ...pageQuery,
  }),
  answer: [200, Page(FreezeWindow)],
});

const createFreezeWindow = route({
  access: 'freeze_window.write',
  operationId: 'createFreezeWindow',
  tag,
  summary: 'Block changes of what is served, once or again and again',
  body: NewFreezeWindow,
  answer: [201, Data(FreezeWindow)],
  errors: ['ORGANIZATION_NOT_FOUND', ...SCOPE_ERRORS],
  writes: true,
});

const getFreezeStatus = route({
  access: 'freeze_window.read',
  operationId: 'getFreezeStatus',
  tag,
  summary: 'Tell whether an environment is frozen, by what, and when that changes',
  query: Type.Object({ environment_id: Id }),
  answer: [200, Data(FreezeStatus)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

const getFreezeWindow = route({
  access: 'freeze_window.read',
  operationId: 'getFreezeWindow',
  tag,
  summary: 'Read one freeze window',
  params: Params,
  answer: [200, Data(FreezeWindow)],
  errors: ['FREEZE_WINDOW_NOT_FOUND'],
});

const updateFreezeWindow = route({
  access: 'freeze_window.write',
  operationId: 'updateFreezeWindow',
  tag,
  summary: 'Change a freeze window; one that is on wants a comment',
  params: Params,
  body: FreezeWindowPatch,
  answer: [200, Data(FreezeWindow)],
  errors: ['FREEZE_WINDOW_NOT_FOUND', 'FREEZE_WINDOW_OVER', 'COMMENT_REQUIRED', ...SCOPE_ERRORS],
  writes: true,
});

const cancelFreezeWindow = route({
  access: 'freeze_window.write',
  operationId: 'cancelFreezeWindow',
  tag,
  summary: 'Call off a freeze window that is not on',
  params: Params,
  answer: [204],
  errors: ['FREEZE_WINDOW_NOT_FOUND', 'FREEZE_WINDOW_OVER', 'RESOURCE_IN_USE'],
  writes: true,
});

const endFreezeWindow = route({
  access: 'freeze_window.write',
  operationId: 'endFreezeWindow',
  tag,
  summary: 'End a freeze window now and for good; wants a comment',
  params: Params,
  body: Type.Object({ comment: Type.Optional(Comment) }),
  answer: [200, Data(FreezeWindow)],
  errors: ['FREEZE_WINDOW_NOT_FOUND', 'FREEZE_WINDOW_OVER', 'COMMENT_REQUIRED'],
  writes: true,
});

/** `/freeze-windows`. */
export const freezeRoutes: FastifyPluginAsyncTypebox<{ freezeWindows: FreezeService }> = async (
  app,
  { freezeWindows },
) => {
  app.get('/freeze-windows', listFreezeWindows, async (request) => {
    return cutPage(await freezeWindows.list(actorOf(request), request.query.status), request.query);
  });

  app.post('/freeze-windows', createFreezeWindow, async (request, reply) => {
    const options = changeOptions(request);
    return sendRecord(reply, await freezeWindows.create(actorOf(request), request.body, options), 201);
  });

  app.get('/freeze-windows/status', getFreezeStatus, async (request) =>
    data(await freezeWindows.status(actorOf(request), request.query.environment_id)),
  );

  app.get('/freeze-windows/:freeze_window_id', getFreezeWindow, async (request, reply) =>
    sendRecord(reply, await freezeWindows.get(actorOf(request), request.params.freeze_window_id)),
  );

  app.patch('/freeze-windows/:freeze_window_id', updateFreezeWindow, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const record = await freezeWindows.update(actorOf(request), params.freeze_window_id, body, options);
    return sendRecord(reply, record);
  });

  app.delete('/freeze-windows/:freeze_window_id', cancelFreezeWindow, async (request, reply) => {
    await freezeWindows.cancel(actorOf(request), request.params.freeze_window_id, changeOptions(request));
    return reply.code(204).send();
  });

  app.post('/freeze-windows/:freeze_window_id/end', endFreezeWindow, async (request, reply) => {
    const options = changeOptions(request);
    return sendRecord(
      reply,
      await freezeWindows.end(actorOf(request), request.params.freeze_window_id, options),
    );
  });
};
