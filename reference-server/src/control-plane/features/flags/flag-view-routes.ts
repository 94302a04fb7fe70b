import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id, Key, Name } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
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
import { Flag, UpsertFlagBody, VariationKey } from './flag-schemas.ts';
import type { FlagService } from './flag-service.ts';

const tag = 'Flags';
const KeyParams = Type.Object({ key: Key });

const getFlagByKey = route({
  access: 'flag.read',
  operationId: 'getFlagByKey',
  tag,
  summary: 'Read one flag by its key, as it is in the environment',
  params: KeyParams,
  query: Type.Object({ environment_id: Id, project_id: Type.Optional(Id) }),
  answer: [200, Data(Flag)],
  errors: FLAG_NOT_FOUND,
});

const upsertFlag = route({
  access: 'flag.write',
  operationId: 'upsertFlag',
  tag,
  summary:
    'Bring a flag to what is given: made (201) when the project has none of that key, else changed (200)',
  params: Type.Object({ project_id: Id, key: Key }),
  query: EnvironmentQuery,
  body: UpsertFlagBody,
  answer: [200, Data(Flag)],
  alsoAnswers: { 201: Data(Flag) },
  errors: [
    'PROJECT_NOT_FOUND',
    'ENVIRONMENT_NOT_FOUND',
    'FLAG_ARCHIVED',
    'FLAG_TYPE_IMMUTABLE',
    ...KEY_ERRORS,
    ...VARIATION_ERRORS,
    ...RULE_ERRORS,
  ],
  writes: true,
});

const listFlagEnvironments = route({
  access: 'flag.read',
  operationId: 'listFlagEnvironments',
  tag,
  summary: 'Read one flag in all environments of its project, side by side',
  params: FlagParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Flag)],
  errors: ['FLAG_NOT_FOUND'],
});

const listFlagDependents = route({
  access: 'flag.read',
  operationId: 'listFlagDependents',
  tag,
  summary: 'List the flags that wait for this one, with the environment and the variation',
  params: FlagParams,
  query: Type.Object(pageQuery),
  answer: [
    200,
    Page(
      Type.Object({
        flag_id: Type.String(),
        flag_key: Key,
        environment_id: Type.String(),
        variation: VariationKey,
      }),
    ),
  ],
  errors: ['FLAG_NOT_FOUND'],
});

const cloneFlag = route({
  access: 'flag.write',
  operationId: 'cloneFlag',
  tag,
  summary: 'Copy a flag under another key, switched off everywhere',
  params: FlagParams,
  query: EnvironmentQuery,
  body: Type.Object({
    key: Key,
    name: Type.Optional(Name),
    environment_ids: Type.Optional(
      Type.Array(Id, { maxItems: 25, description: 'Whose configuration is copied; default all.' }),
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
          { description: 'Keys that the target does not have: what referred to them was not copied.' },
        ),
      }),
    ),
  ],
  errors: [...FLAG_NOT_FOUND, 'PROJECT_NOT_FOUND', 'REGEX_INVALID', ...KEY_ERRORS],
  writes: true,
});

/** Flags by key, in all environments, copied. */
export const flagViewRoutes: FastifyPluginAsyncTypebox<{ flags: FlagService }> = async (app, { flags }) => {
  app.get('/flags/by-key/:key', getFlagByKey, async (request, reply) => {
    const { environment_id: environmentId, project_id: projectId } = request.query;
    const address = { key: request.params.key, environmentId, projectId };
    return sendRecord(reply, await flags.getByKey(actorOf(request), address));
  });

  app.put('/projects/:project_id/flags/by-key/:key', upsertFlag, async (request, reply) => {
    const { project_id: projectId, key } = request.params;
    const address = { key, projectId, environmentId: request.query.environment_id };
    const options = changeOptions(request);
    const { record, created } = await flags.upsert(actorOf(request), address, request.body, options);
    return sendRecord(reply, record, created ? 201 : 200);
  });

  app.get('/flags/:flag_id/environments', listFlagEnvironments, async (request) =>
    cutPage(await flags.listEverywhere(actorOf(request), request.params.flag_id), request.query),
  );

  app.get('/flags/:flag_id/dependents', listFlagDependents, async (request) =>
    cutPage(await flags.dependents(actorOf(request), request.params.flag_id), request.query),
  );

  app.post('/flags/:flag_id/clone', cloneFlag, async (request, reply) => {
    const options = changeOptions(request);
    const clone = await flags.clone(actorOf(request), addressOf(request), request.body, options);
    return reply.code(201).header('etag', `"${clone.flag.revision}"`).send(data(clone));
  });
};
