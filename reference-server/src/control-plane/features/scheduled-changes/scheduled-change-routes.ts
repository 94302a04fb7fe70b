import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page, page } from '../../../http/envelope.ts';
import { Comment, Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { FLAG_NOT_FOUND, FlagParams, RULE_ERRORS, VARIATION_ERRORS } from '../flags/flag-route-parts.ts';
import {
  NewScheduledChange,
  OnConflict,
  ScheduledChange,
  ScheduledChangePatch,
  StatusFilter,
  statusesOf,
} from './scheduled-change-schemas.ts';
import type { ScheduledChangeService } from './scheduled-change-service.ts';

const Params = Type.Object({ scheduled_change_id: Id });
const INSTRUCTION_ERRORS = [
  ...FLAG_NOT_FOUND,
  'FLAG_ARCHIVED',
  'INSTRUCTION_INVALID',
  ...VARIATION_ERRORS,
  ...RULE_ERRORS,
] as const;
const tag = 'Scheduled changes';

const listScheduledChanges = route({
  access: 'flag.read',
  operationId: 'listScheduledChanges',
  tag,
  summary: 'List the scheduled changes of a flag',
  description: 'Returns open and finished changes of the flag, in one environment or all, soonest first.',
  params: FlagParams,
  query: Type.Object({ environment_id: Type.Optional(Id), ...pageQuery }),
  answer: [200, Page(ScheduledChange)],
  errors: ['FLAG_NOT_FOUND'],
});

const listProjectSchedule = route({
  access: 'flag.read',
  operationId: 'listProjectSchedule',
  tag,
  summary: 'List the scheduled changes of a project',
  description:
    'Returns the scheduled changes of all flags of the project, in one environment or all, soonest first.',
  params: Type.Object({ project_id: Id }),
  query: Type.Object({
    environment_id: Type.Optional(Id),
    status: Type.Optional(StatusFilter),
    ...pageQuery,
  }),
  answer: [200, Page(ScheduledChange)],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
});

const createScheduledChange = route({
  access: 'flag.write',
  operationId: 'createScheduledChange',
  tag,
  summary: 'Schedule a change of a flag',
  description:
    'Schedules instructions to be followed once at a given time, with the rights that you have then. A dry run checks them at ' +
    'once and refuses them when they cannot be followed, unless an earlier scheduled change may still make them possible.',
  params: FlagParams,
  body: NewScheduledChange,
  answer: [201, Data(ScheduledChange)],
  errors: INSTRUCTION_ERRORS,
  writes: true,
});

const getScheduledChange = route({
  access: 'flag.read',
  operationId: 'getScheduledChange',
  tag,
  summary: 'Read a scheduled change',
  description: 'Returns one scheduled change with its status, and its error when it failed.',
  params: Params,
  answer: [200, Data(ScheduledChange)],
  errors: ['SCHEDULED_CHANGE_NOT_FOUND'],
});

const updateScheduledChange = route({
  access: 'flag.write',
  operationId: 'updateScheduledChange',
  tag,
  summary: 'Update a scheduled change',
  description:
    'Changes the given fields and makes you the author, whose rights count at the execution. A conflicted or failed ' +
    'change needs a new time and is pending again. An executed or cancelled one is refused.',
  params: Params,
  body: ScheduledChangePatch,
  answer: [200, Data(ScheduledChange)],
  errors: ['SCHEDULED_CHANGE_NOT_FOUND', 'SCHEDULED_CHANGE_DONE', ...INSTRUCTION_ERRORS],
  writes: true,
});

const cancelScheduledChange = route({
  access: 'flag.write',
  operationId: 'cancelScheduledChange',
  tag,
  summary: 'Cancel a scheduled change',
  description: 'Cancels an open, conflicted or failed change. It remains in the list.',
  params: Params,
  answer: [204],
  errors: ['SCHEDULED_CHANGE_NOT_FOUND', 'SCHEDULED_CHANGE_DONE'],
  writes: true,
});

const executeScheduledChange = route({
  access: 'flag.write',
  operationId: 'executeScheduledChange',
  tag,
  summary: 'Execute a scheduled change now',
  description:
    'Executes an open, conflicted or failed change at once, with your rights. After an error it stays as it was. ' +
    '`on_conflict` takes the place of that of the change for this execution.',
  params: Params,
  body: Type.Object({ comment: Type.Optional(Comment), on_conflict: Type.Optional(OnConflict) }),
  answer: [200, Data(ScheduledChange)],
  errors: ['SCHEDULED_CHANGE_NOT_FOUND', 'SCHEDULED_CHANGE_DONE', 'CHANGE_CONFLICT', ...INSTRUCTION_ERRORS],
  writes: true,
});

/** `/projects/{project_id}/scheduled-changes`, `/flags/{flag_id}/scheduled-changes` and `/scheduled-changes/{scheduled_change_id}`. */
export const scheduledChangeRoutes: FastifyPluginAsyncTypebox<{
  scheduledChanges: ScheduledChangeService;
}> = async (app, { scheduledChanges }) => {
  app.get('/flags/:flag_id/scheduled-changes', listScheduledChanges, async (request) => {
    const query = { flagId: request.params.flag_id, environmentId: request.query.environment_id };
    return cutPage(await scheduledChanges.list(actorOf(request), query), request.query);
  });

  app.get('/projects/:project_id/scheduled-changes', listProjectSchedule, async (request) => {
    const { environment_id: environmentId, status } = request.query;
    const { limit, offset, ...range } = pageOf(request.query);
    const wanted = { projectId: request.params.project_id, environmentId, statuses: statusesOf(status) };
    const { total, records } = await scheduledChanges.listOfProject(actorOf(request), {
      ...wanted,
      limit,
      offset,
    });
    return page(records, { ...range, total });
  });

  app.post('/flags/:flag_id/scheduled-changes', createScheduledChange, async (request, reply) => {
    const wanted = { flagId: request.params.flag_id, input: request.body };
    const record = await scheduledChanges.create(actorOf(request), wanted, changeOptions(request));
    return sendRecord(reply, record, 201);
  });

  app.get('/scheduled-changes/:scheduled_change_id', getScheduledChange, async (request, reply) =>
    sendRecord(reply, await scheduledChanges.get(actorOf(request), request.params.scheduled_change_id)),
  );

  app.patch('/scheduled-changes/:scheduled_change_id', updateScheduledChange, async (request, reply) => {
    const wanted = { id: request.params.scheduled_change_id, input: request.body };
    const record = await scheduledChanges.update(actorOf(request), wanted, changeOptions(request));
    return sendRecord(reply, record);
  });

  app.delete('/scheduled-changes/:scheduled_change_id', cancelScheduledChange, async (request, reply) => {
    const { scheduled_change_id: id } = request.params;
    await scheduledChanges.cancel(actorOf(request), id, changeOptions(request));
    return reply.code(204).send();
  });

  app.post(
    '/scheduled-changes/:scheduled_change_id/execute',
    executeScheduledChange,
    async (request, reply) => {
      const { scheduled_change_id: id } = request.params;
      const wanted = { id, onConflict: request.body.on_conflict };
      return sendRecord(
        reply,
        await scheduledChanges.execute(actorOf(request), wanted, changeOptions(request)),
      );
    },
  );
};
