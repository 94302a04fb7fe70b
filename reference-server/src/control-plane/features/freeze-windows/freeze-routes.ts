import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id, Timestamp } from '../../../http/schemas.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import {
  FreezeCalendar,
  FreezeStatus,
  FreezeWindow,
  FreezeWindowPatch,
  NewFreezeWindow,
} from './freeze-schemas.ts';
import type { FreezeService } from './freeze-service.ts';

const Params = Type.Object({ freeze_window_id: Id });
const SCOPE_ERRORS = ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'RECURRENCE_INVALID'] as const;
const tag = 'Freeze windows';

const listFreezeWindows = route({
  access: 'freeze_window.read',
  operationId: 'listFreezeWindows',
  tag,
  summary: 'List freeze windows',
  description: 'Returns the freeze windows of the organization, newest first.',
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
  summary: 'Create a freeze window',
  description:
    'Creates a window that blocks changes to what is served in the environments of its scope, once or at recurring ' +
    'times. Refuses a window that would never be active.',
  body: NewFreezeWindow,
  answer: [201, Data(FreezeWindow)],
  errors: ['ORGANIZATION_NOT_FOUND', ...SCOPE_ERRORS],
  writes: true,
});

const getFreezeStatus = route({
  access: 'freeze_window.read',
  operationId: 'getFreezeStatus',
  tag,
  summary: 'Read the freeze status of an environment',
  description: 'Returns whether the environment is frozen now, by which windows, and when that changes next.',
  query: Type.Object({ environment_id: Id }),
  answer: [200, Data(FreezeStatus)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

const getFreezeCalendar = route({
  access: 'freeze_window.read',
  operationId: 'getFreezeCalendar',
  tag,
  summary: 'Read the calendar of freeze windows',
  description:
    'Returns every time in the period at which a window of the organization freezes something, past and future, with ' +
    'the occurrences of recurring windows. Cancelled windows are left out. The period has at most 100 days.',
  query: Type.Object({ from: Timestamp, to: { ...Timestamp, description: 'Exclusive.' } }),
  answer: [200, Data(FreezeCalendar)],
});

const getFreezeWindow = route({
  access: 'freeze_window.read',
  operationId: 'getFreezeWindow',
  tag,
  summary: 'Read a freeze window',
  description: 'Returns one freeze window with its status and current occurrence.',
  params: Params,
  answer: [200, Data(FreezeWindow)],
  errors: ['FREEZE_WINDOW_NOT_FOUND'],
});

const updateFreezeWindow = route({
  access: 'freeze_window.write',
  operationId: 'updateFreezeWindow',
  tag,
  summary: 'Update a freeze window',
  description:
    'Changes the given fields; absent fields keep their value. Changing an active window requires a comment. An ' +
    'ended or cancelled window cannot be changed.',
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
  summary: 'Cancel a freeze window',
  description: 'Cancels a window that is not active. An active one must be ended instead.',
  params: Params,
  answer: [204],
  errors: ['FREEZE_WINDOW_NOT_FOUND', 'FREEZE_WINDOW_OVER', 'RESOURCE_IN_USE'],
  writes: true,
});

const endFreezeWindow = route({
  access: 'freeze_window.write',
  operationId: 'endFreezeWindow',
  tag,
  summary: 'End a freeze window',
  description: 'Ends an active or scheduled window now and for good. Requires a comment.',
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

  app.get('/freeze-windows/calendar', getFreezeCalendar, async (request) => {
    const from = normalizeTimestamp(request.query.from, 'from', 'query');
    const to = normalizeTimestamp(request.query.to, 'to', 'query');
    return data(await freezeWindows.calendar(actorOf(request), { from, to }));
  });

  app.get('/freeze-windows/:freeze_window_id', getFreezeWindow, async (request, reply) =>
    sendRecord(reply, await freezeWindows.get(actorOf(request), request.params.freeze_window_id)),
  );

  app.patch('/freeze-windows/:freeze_window_id', updateFreezeWindow, async (request, reply) => {
    const wanted = { id: request.params.freeze_window_id, input: request.body };
    return sendRecord(reply, await freezeWindows.update(actorOf(request), wanted, changeOptions(request)));
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
