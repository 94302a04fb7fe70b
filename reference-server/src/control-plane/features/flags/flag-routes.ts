import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Data, data, Page, page } from '../../../http/envelope.ts';
import { Comment, Id, Timestamp } from '../../../http/schemas.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import {
  addressOf,
  EnvironmentQuery,
  FLAG_NOT_FOUND,
  FlagParams,
  KEY_ERRORS,
  RULE_ERRORS,
  VARIATION_ERRORS,
} from './flag-route-parts.ts';
import {
  CLASSIFICATIONS,
  CreateFlagBody,
  Flag,
  FlagListItem,
  HistoryEntry,
  STALE_REASONS,
  STATUS_FILTERS,
  UpdateFlagBody,
} from './flag-schemas.ts';
import type { FlagService } from './flag-service.ts';
import { Instructions } from './plans/instructions.ts';

const ListQuery = Type.Object({
  environment_id: Id,
  status: Type.Optional(Type.Enum([...STATUS_FILTERS], { description: 'Default: all but archived.' })),
  flag_type: Type.Optional(Type.Enum([...FLAG_TYPES])),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words, each a part of the name or the key.' }),
  ),
  tag: Type.Optional(Type.String({ maxLength: 100 })),
  classification: Type.Optional(Type.Enum([...CLASSIFICATIONS])),
  owner_id: Type.Optional(Id),
  stale_reason: Type.Optional(Type.Enum([...STALE_REASONS])),
  evaluated_before: Type.Optional({
    ...Timestamp,
    description: 'Flags that no SDK has reported an evaluation of since then, in this environment.',
  }),
  sort: Type.Optional(
    Type.Enum(['name', 'key', 'created_at', 'updated_at'], { description: 'Default created_at.' }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default desc.' })),
  ...pageQuery,
});

const ToggleResult = Type.Object({ id: Type.String(), enabled: Type.Boolean(), updated_at: Timestamp });

const tag = 'Flags';

const listFlags = route({
  access: 'flag.read',
  operationId: 'listFlags',
  tag,
  summary: 'List the flags of an environment',
  query: ListQuery,
  answer: [200, Page(FlagListItem)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

const createFlag = route({
  access: 'flag.write',
  operationId: 'createFlag',
  tag,
  summary: 'Create a flag in every environment of the project, switched off',
  query: EnvironmentQuery,
  body: CreateFlagBody,
  answer: [201, Data(Flag)],
  errors: ['ENVIRONMENT_NOT_FOUND', ...KEY_ERRORS, ...VARIATION_ERRORS],
  writes: true,
});

const getFlag = route({
  access: 'flag.read',
  operationId: 'getFlag',
  tag,
  summary: 'Read one flag with its rules in the environment',
  params: FlagParams,
  query: EnvironmentQuery,
  answer: [200, Data(Flag)],
  errors: FLAG_NOT_FOUND,
});

const updateFlag = route({
  access: 'flag.write',
  operationId: 'updateFlag',
  tag,
  summary: 'Change a flag; fields that are absent keep their value',
  params: FlagParams,
  query: EnvironmentQuery,
  body: UpdateFlagBody,
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_ARCHIVED', ...VARIATION_ERRORS, ...RULE_ERRORS],
  writes: true,
});

const patchFlag = route({
  access: 'flag.write',
  operationId: 'patchFlag',
  tag,
  summary: 'Change a flag by instructions, each on what those before it made, all or none',
  params: FlagParams,
  query: EnvironmentQuery,
  body: Type.Object({ instructions: Instructions, comment: Type.Optional(Comment) }),
  answer: [200, Data(Flag)],
  errors: [...FLAG_NOT_FOUND, 'FLAG_ARCHIVED', 'INSTRUCTION_INVALID', ...VARIATION_ERRORS, ...RULE_ERRORS],
  writes: true,
});

const archiveFlag = route({
  access: 'flag.write',
  operationId: 'archiveFlag',
  tag,
  summary: 'Archive a flag in all environments; it stays in the audit log',
  params: FlagParams,
  query: EnvironmentQuery,
  answer: [204],
  errors: [...FLAG_NOT_FOUND],
  writes: true,
});

const toggleFlag = route({
  access: 'flag.write',
  operationId: 'toggleFlag',
  tag,
  summary: 'Switch a flag on or off in the environment; nothing else changes',
  params: FlagParams,
  query: EnvironmentQuery,
  body: Type.Object({ enabled: Type.Boolean(), comment: Type.Optional(Comment) }),
  answer: [200, Data(ToggleResult)],
  errors: [...FLAG_NOT_FOUND],
  writes: true,
});

const listFlagHistory = route({
  access: 'flag.read',
  operationId: 'listFlagHistory',
  tag,
  summary: 'List what was changed, the newest first',
  params: FlagParams,
  query: Type.Object({ ...EnvironmentQuery.properties, ...pageQuery }),
  answer: [200, Page(HistoryEntry)],
  errors: FLAG_NOT_FOUND,
});

/** `/flags` ("Endpoints"). */
export const flagRoutes: FastifyPluginAsyncTypebox<{ flags: FlagService }> = async (app, { flags }) => {
  app.get('/flags', listFlags, async (request) => {
    const { environment_id, status, flag_type, search, tag, classification, owner_id } = request.query;
    const { stale_reason, evaluated_before, sort, order } = request.query;
    const range = pageOf(request.query);
    const { items, total } = await flags.list(actorOf(request), {
      environmentId: environment_id,
      status,
      flagType: flag_type,
      search,
      tag,
      classification,
      ownerId: owner_id,
      staleReason: stale_reason,
      evaluatedBefore: evaluated_before && normalizeTimestamp(evaluated_before, 'evaluated_before', 'query'),
      sort: sort ?? 'created_at',
      order: order ?? 'desc',
      limit: range.limit,
      offset: range.offset,
    });
    return page(items, { ...range, total });
  });

  app.post('/flags', createFlag, async (request, reply) => {
    const { query, body } = request;
    const options = changeOptions(request);
    return sendRecord(reply, await flags.create(actorOf(request), query.environment_id, body, options), 201);
  });

  app.get('/flags/:flag_id', getFlag, async (request, reply) =>
    sendRecord(reply, await flags.get(actorOf(request), addressOf(request))),
  );

  app.put('/flags/:flag_id', updateFlag, async (request, reply) => {
    const options = changeOptions(request);
    return sendRecord(reply, await flags.update(actorOf(request), addressOf(request), request.body, options));
  });

  app.patch('/flags/:flag_id', patchFlag, async (request, reply) => {
    const options = changeOptions(request);
    const { instructions } = request.body;
    return sendRecord(reply, await flags.patch(actorOf(request), addressOf(request), instructions, options));
  });

  app.delete('/flags/:flag_id', archiveFlag, async (request, reply) => {
    await flags.archive(actorOf(request), addressOf(request), changeOptions(request));
    return reply.code(204).send();
  });

  app.post('/flags/:flag_id/toggle', toggleFlag, async (request, reply) => {
    const options = changeOptions(request);
    const { enabled } = request.body;
    const toggled = await flags.toggle(actorOf(request), addressOf(request), enabled, options);
    const { revision, ...result } = toggled;
    return reply.header('etag', `"${revision}"`).send(data(result));
  });

  app.get('/flags/:flag_id/history', listFlagHistory, async (request) => {
    const range = pageOf(request.query);
    const { entries, total } = await flags.history(actorOf(request), addressOf(request), range);
    return page(entries, { ...range, total });
  });
};
