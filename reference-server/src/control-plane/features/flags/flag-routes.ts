import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Data, data, Page, page } from '../../../http/envelope.ts';
import { Comment, Id, Key, Name, Timestamp } from '../../../http/schemas.ts';
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
  STALE_REASONS,
  STATUS_FILTERS,
  UpdateFlagBody,
} from './flag-schemas.ts';
import type { FlagService } from './flag-service.ts';
import { Instructions } from './plans/instructions.ts';

const ListQuery = Type.Object({
  environment_id: Id,
  status: Type.Optional(Type.Enum([...STATUS_FILTERS], { description: 'Default: all except archived.' })),
  flag_type: Type.Optional(Type.Enum([...FLAG_TYPES])),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words that must all occur in the name or key.' }),
  ),
  tag: Type.Optional(Type.String({ maxLength: 100 })),
  classification: Type.Optional(Type.Enum([...CLASSIFICATIONS])),
  owner_id: Type.Optional(Id),
  stale_reason: Type.Optional(Type.Enum([...STALE_REASONS])),
  evaluated_before: Type.Optional({
    ...Timestamp,
    description: 'Only flags for which no SDK has reported an evaluation in this environment since then.',
  }),
  sort: Type.Optional(
    Type.Enum(['name', 'key', 'created_at', 'updated_at'], { description: 'Default `created_at`.' }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default `desc`.' })),
  ...pageQuery,
});

const ToggleResult = Type.Object({ id: Type.String(), enabled: Type.Boolean(), updated_at: Timestamp });

const tag = 'Flags';

const listFlags = route({
  access: 'flag.read',
  operationId: 'listFlags',
  tag,
  summary: 'List the flags of an environment',
  description:
    'Returns flags with their configuration in the environment. Each has the number of its targeting rules instead of the ' +
    'rules. Archived flags are listed only with `status=archived`.',
  query: ListQuery,
  answer: [200, Page(FlagListItem)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

const createFlag = route({
  access: 'flag.write',
  operationId: 'createFlag',
  tag,
  summary: 'Create a flag',
  description:
    'Creates a flag that is switched off in every environment of the project, and returns it as configured in this ' +
    'one. Refuses a key that another flag of the project has, archived or not, and a key that is still reserved.',
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
  summary: 'Read a flag',
  description: 'Returns one flag with its configuration and targeting rules in the environment.',
  params: FlagParams,
  query: EnvironmentQuery,
  answer: [200, Data(Flag)],
  errors: FLAG_NOT_FOUND,
});

const updateFlag = route({
  access: 'flag.write',
  operationId: 'updateFlag',
  tag,
  summary: 'Update a flag',
  description:
    'Replaces the given fields; absent fields keep their value. Rules, prerequisites and the default variation change ' +
    'in this environment only, all other fields in every environment. An archived flag is refused.',
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
  summary: 'Update a flag by instructions',
  description:
    'Applies instructions in order, each to the result of the ones before it. All of them succeed or none does. Returns ' +
    'the flag as it is afterwards.',
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
  summary: 'Archive a flag',
  description:
    'Archives the flag in all environments. An archived flag serves its default variation and keeps its configuration. Warns when ' +
    'other flags have it as a prerequisite, or code still names it.',
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
  summary: 'Switch a flag on or off',
  description: 'Sets `enabled` in the environment. Nothing else changes, whatever the status of the flag.',
  params: FlagParams,
  query: EnvironmentQuery,
  body: Type.Object({ enabled: Type.Boolean(), comment: Type.Optional(Comment) }),
  answer: [200, Data(ToggleResult)],
  errors: [...FLAG_NOT_FOUND],
  writes: true,
});

const cloneFlag = route({
  access: 'flag.write',
  operationId: 'cloneFlag',
  tag,
  summary: 'Clone a flag',
  description:
    'Creates a copy under another key, switched off in every environment, in the same or another project. Segments and ' +
    'prerequisites are matched by key. The copy leaves out rules and prerequisites that refer to keys missing in the ' +
    'target project, and the answer lists these keys.',
  params: FlagParams,
  query: EnvironmentQuery,
  body: Type.Object({
    key: Key,
    name: Type.Optional(Name),
    environment_ids: Type.Optional(
      Type.Array(Id, {
        maxItems: 25,
        description: 'Environments whose configuration is copied; default all.',
      }),
    ),
    target_project_id: Type.Optional({ ...Id, description: 'Default: the same project.' }),
    comment: Type.Optional(Comment),
  }),
  answer: [
    201,
    Data(
      Type.Object({
        flag: Flag,
        left_out: Type.Object(
          {
            segments: Type.Array(Key),
            prerequisites: Type.Array(Key),
            environments: Type.Array(Key),
          },
          {
            description:
              'Keys that the target project lacks. Rules and prerequisites that name them were not copied.',
          },
        ),
      }),
    ),
  ],
  errors: [...FLAG_NOT_FOUND, 'PROJECT_NOT_FOUND', 'REGEX_INVALID', ...KEY_ERRORS],
  writes: true,
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
    const { environment_id: environmentId } = request.query;
    const options = changeOptions(request);
    return sendRecord(
      reply,
      await flags.create(actorOf(request), { environmentId, input: request.body }, options),
      201,
    );
  });

  app.get('/flags/:flag_id', getFlag, async (request, reply) =>
    sendRecord(reply, await flags.get(actorOf(request), addressOf(request))),
  );

  app.put('/flags/:flag_id', updateFlag, async (request, reply) => {
    const options = changeOptions(request);
    const update = { ...addressOf(request), input: request.body };
    return sendRecord(reply, await flags.update(actorOf(request), update, options));
  });

  app.patch('/flags/:flag_id', patchFlag, async (request, reply) => {
    const options = changeOptions(request);
    const patch = { ...addressOf(request), instructions: request.body.instructions };
    return sendRecord(reply, await flags.patch(actorOf(request), patch, options));
  });

  app.delete('/flags/:flag_id', archiveFlag, async (request, reply) => {
    await flags.archive(actorOf(request), addressOf(request), changeOptions(request));
    return reply.code(204).send();
  });

  app.post('/flags/:flag_id/toggle', toggleFlag, async (request, reply) => {
    const options = changeOptions(request);
    const toggle = { ...addressOf(request), enabled: request.body.enabled };
    const toggled = await flags.toggle(actorOf(request), toggle, options);
    const { revision, ...result } = toggled;
    return reply.header('etag', `"${revision}"`).send(data(result));
  });

  app.post('/flags/:flag_id/clone', cloneFlag, async (request, reply) => {
    const options = changeOptions(request);
    const wanted = { ...addressOf(request), input: request.body };
    const clone = await flags.clone(actorOf(request), wanted, options);
    return reply.code(201).header('etag', `"${clone.flag.revision}"`).send(data(clone));
  });
};
