import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page } from '../../../http/envelope.ts';
import { Comment, Id, Key, Name, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/authenticate.ts';
import { changeOptions, sendRecord } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery, route } from '../../endpoint/route.ts';
import { ENVIRONMENT_TYPES, type EnvironmentService } from './environment-service.ts';

const EnvironmentType = Type.Enum([...ENVIRONMENT_TYPES]);

const CRITICAL = 'Whether mistakes are expensive here: agents change nothing in it.';
const CONFIRM =
  'Whether clients ask a person before they change it, as the command line does. The API itself asks nobody.';

const Environment = Type.Object({
  id: Type.String({ description: '`env_` and an opaque string.' }),
  project_id: Type.String(),
  key: Key,
  name: Type.String(),
  type: EnvironmentType,
  color: Type.String(),
  position: Type.Integer(),
  critical: Type.Boolean({ description: CRITICAL }),
  require_comment: Type.Boolean({ description: 'Whether a change must say why; else COMMENT_REQUIRED.' }),
  confirm_changes: Type.Boolean({ description: CONFIRM }),
  record_contexts: Type.Boolean(),
  ruleset_version: Type.Integer({ description: 'Version of the compiled ruleset.' }),
  etag: Type.Union([Type.String(), Type.Null()], { description: 'Entity tag last published.' }),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const settings = {
  color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  critical: Type.Optional(Type.Boolean({ description: `${CRITICAL} Default true for production.` })),
  require_comment: Type.Optional(Type.Boolean()),
  confirm_changes: Type.Optional(
    Type.Boolean({ description: `${CONFIRM} Default of a new environment: as \`critical\`.` }),
  ),
  record_contexts: Type.Optional(
    Type.Boolean({
      description:
        'True keeps a sample of the contexts that this server is asked to evaluate, by `POST /evaluate` and OFREP, ' +
        'for previews: at most 1,000, each for 24 hours. Of user keys only pseudonyms are kept, of attributes those ' +
        'that a rule or a segment asks about, of mail addresses the domain. It begins within 10 seconds; switched ' +
        'off, it deletes what was kept. Default false, also of an environment that is copied from another one.',
    }),
  ),
};

export const NewEnvironmentBody = Type.Object({ key: Key, name: Name, type: EnvironmentType, ...settings });

const UpdateBody = Type.Object({
  name: Type.Optional(Name),
  type: Type.Optional(EnvironmentType),
  ...settings,
  comment: Type.Optional(Comment),
});

const ProjectParams = Type.Object({ project_id: Id });
const Params = Type.Object({ environment_id: Id });
const tag = 'Environments';

const listProjectEnvironments = route({
  access: 'environment.read',
  operationId: 'listProjectEnvironments',
  tag,
  summary: 'List the environments of a project, in their order',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Environment)],
  errors: ['PROJECT_NOT_FOUND'],
});

const listEnvironments = route({
  access: 'environment.read',
  operationId: 'listEnvironments',
  tag,
  summary: 'List the environments of a project, in their order',
  query: Type.Object({ project_id: Id, ...pageQuery }),
  answer: [200, Page(Environment)],
  errors: ['PROJECT_NOT_FOUND'],
});

const createEnvironment = route({
  access: 'environment.create',
  operationId: 'createEnvironment',
  tag,
  summary: 'Create an environment, with every flag of the project switched off in it',
  params: ProjectParams,
  body: Type.Object({ ...NewEnvironmentBody.properties, comment: Type.Optional(Comment) }),
  answer: [201, Data(Environment)],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_KEY_CONFLICT', 'LIMIT_EXCEEDED'],
  writes: true,
});

const cloneEnvironment = route({
  access: 'environment.create',
  operationId: 'cloneEnvironment',
  tag,
  summary:
    'Create an environment with the settings of this one and every flag configured as in it, switches included',
  params: Params,
  body: Type.Object({
    ...NewEnvironmentBody.properties,
    type: Type.Optional(EnvironmentType),
    include: Type.Optional(
      Type.Array(Type.Enum(['flags']), {
        maxItems: 1,
        description: 'Default flags; an empty list leaves every flag switched off in it.',
      }),
    ),
    comment: Type.Optional(Comment),
  }),
  answer: [201, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND', 'PROJECT_NOT_FOUND', 'ENVIRONMENT_KEY_CONFLICT', 'LIMIT_EXCEEDED'],
  writes: true,
});

const getEnvironment = route({
  access: 'environment.read',
  operationId: 'getEnvironment',
  tag,
  summary: 'Read one environment',
  params: Params,
  answer: [200, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

const updateEnvironment = route({
  access: 'environment.update',
  operationId: 'updateEnvironment',
  tag,
  summary: 'Change an environment; fields that are absent keep their value',
  params: Params,
  body: UpdateBody,
  answer: [200, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND', 'RESOURCE_IN_USE'],
  writes: true,
});

const deleteEnvironment = route({
  access: 'environment.delete',
  operationId: 'deleteEnvironment',
  tag,
  summary: 'Remove an environment with its keys; not the last one of a project',
  params: Params,
  query: Type.Object({ confirm_key: Type.String({ description: "The environment's key, repeated." }) }),
  answer: [204],
  errors: ['ENVIRONMENT_NOT_FOUND', 'RESOURCE_IN_USE'],
  writes: true,
});

/** `/environments` and `/projects/{project_id}/environments` (decision 0036). */
export const environmentRoutes: FastifyPluginAsyncTypebox<{ environments: EnvironmentService }> = async (
  app,
  { environments },
) => {
  /** There are few: the page is cut from all. */
  const listPage = async (
    request: Parameters<typeof actorOf>[0],
    projectId: string,
    query: { page?: number; per_page?: number },
  ) => {
    return cutPage(await environments.list(actorOf(request), projectId), query);
  };

  app.get('/projects/:project_id/environments', listProjectEnvironments, async (request) =>
    listPage(request, request.params.project_id, request.query),
  );

  app.get('/environments', listEnvironments, async (request) =>
    listPage(request, request.query.project_id, request.query),
  );

  app.post('/projects/:project_id/environments', createEnvironment, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const record = await environments.create(actorOf(request), params.project_id, body, options);
    return sendRecord(reply, record, 201);
  });

  app.post('/environments/:environment_id/clone', cloneEnvironment, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const record = await environments.clone(actorOf(request), params.environment_id, body, options);
    return sendRecord(reply, record, 201);
  });

  app.get('/environments/:environment_id', getEnvironment, async (request, reply) =>
    sendRecord(reply, await environments.get(actorOf(request), request.params.environment_id)),
  );

  app.patch('/environments/:environment_id', updateEnvironment, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    return sendRecord(
      reply,
      await environments.update(actorOf(request), params.environment_id, body, options),
    );
  });

  app.delete('/environments/:environment_id', deleteEnvironment, async (request, reply) => {
    const { params, query } = request;
    const options = changeOptions(request);
    await environments.remove(actorOf(request), params.environment_id, query.confirm_key, options);
    return reply.code(204).send();
  });
};
