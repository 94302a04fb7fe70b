import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { CloneBody, Environment, EnvironmentPatch, NewEnvironmentBody } from './environment-schemas.ts';
import type { EnvironmentService } from './environment-service.ts';
import { ENVIRONMENTS_MAX } from './environment-state.ts';

const ProjectParams = Type.Object({ project_id: Id });
const Params = Type.Object({ environment_id: Id });
const tag = 'Environments';

const archived = Type.Optional(
  Type.Boolean({ description: 'True lists only archived environments; default false.' }),
);

const listProjectEnvironments = route({
  access: 'environment.read',
  operationId: 'listProjectEnvironments',
  tag,
  summary: 'List the environments of a project',
  description: 'Returns the environments by position.',
  params: ProjectParams,
  query: Type.Object({ archived, ...pageQuery }),
  answer: [200, Page(Environment)],
  errors: ['PROJECT_NOT_FOUND'],
});

const listEnvironments = route({
  access: 'environment.read',
  operationId: 'listEnvironments',
  tag,
  summary: 'List the environments of a project named in the query',
  description: 'Returns the same page as `GET /projects/{project_id}/environments`.',
  query: Type.Object({ project_id: Id, archived, ...pageQuery }),
  answer: [200, Page(Environment)],
  errors: ['PROJECT_NOT_FOUND'],
});

const createEnvironment = route({
  access: 'environment.create',
  operationId: 'createEnvironment',
  tag,
  summary: 'Create an environment',
  description:
    'Creates an environment in which every flag of the project is switched off. Refuses a key that the project ' +
    'already uses, and more than 200 environments, archived ones included.',
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
  summary: 'Clone an environment',
  description:
    'Creates an environment in the same project with the settings and flag configurations of this one, switches ' +
    'included. API keys are not copied.',
  params: Params,
  body: CloneBody,
  answer: [201, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND', 'PROJECT_NOT_FOUND', 'ENVIRONMENT_KEY_CONFLICT', 'LIMIT_EXCEEDED'],
  writes: true,
});

const getEnvironment = route({
  access: 'environment.read',
  operationId: 'getEnvironment',
  tag,
  summary: 'Read an environment',
  description: 'Returns one environment with its settings and its ruleset version.',
  params: Params,
  answer: [200, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

const updateEnvironment = route({
  access: 'environment.update',
  operationId: 'updateEnvironment',
  tag,
  summary: 'Update an environment',
  description:
    'Changes the given fields; absent fields keep their value. The type cannot change while the environment ' +
    'has active API keys, because their prefix names the type.',
  params: Params,
  body: EnvironmentPatch,
  answer: [200, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND', 'RESOURCE_IN_USE'],
  writes: true,
});

const orderEnvironments = route({
  access: 'environment.update',
  operationId: 'orderEnvironments',
  tag,
  summary: 'Order the environments of a project',
  description:
    'Puts the environments into this order and returns them. Environments that the list leaves out follow in the ' +
    'order that they had.',
  params: ProjectParams,
  body: Type.Object({
    environment_ids: Type.Array(Id, { maxItems: ENVIRONMENTS_MAX }),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Type.Array(Environment))],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
  writes: true,
});

const archiveEnvironment = route({
  access: 'environment.delete',
  operationId: 'archiveEnvironment',
  tag,
  summary: 'Archive an environment',
  description:
    'Hides an environment and disables its API keys at once. Its flag configurations are kept, and changes of flags ' +
    'that affect all environments also reach it. The last environment of a project cannot be archived.',
  params: Params,
  body: Type.Object({ comment: Type.Optional(Comment) }),
  answer: [200, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND', 'RESOURCE_IN_USE'],
  writes: true,
});

const restoreEnvironment = route({
  access: 'environment.delete',
  operationId: 'restoreEnvironment',
  tag,
  summary: 'Restore an archived environment',
  description: 'Restores an environment, its flag configurations and its API keys.',
  params: Params,
  body: Type.Object({ comment: Type.Optional(Comment) }),
  answer: [200, Data(Environment)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
  writes: true,
});

const deleteEnvironment = route({
  access: 'environment.delete',
  operationId: 'deleteEnvironment',
  tag,
  summary: 'Delete an environment',
  description:
    'Deletes an environment, archived or not, with its flag configurations and API keys. The keys stop working at ' +
    'once. The last environment of a project that is in use cannot be deleted.',
  params: Params,
  query: Type.Object({
    confirm_key: Type.String({ description: 'The key of the environment, as a confirmation.' }),
  }),
  answer: [204],
  errors: ['ENVIRONMENT_NOT_FOUND', 'RESOURCE_IN_USE'],
  writes: true,
});

/** `/environments` and `/projects/{project_id}/environments`. */
export const environmentRoutes: FastifyPluginAsyncTypebox<{ environments: EnvironmentService }> = async (
  app,
  { environments },
) => {
  const listPage = async (
    request: Parameters<typeof actorOf>[0],
    projectId: string,
    query: { archived?: boolean; page?: number; per_page?: number },
  ) => {
    const { archived: wanted } = query;
    return cutPage(await environments.list(actorOf(request), { projectId, archived: wanted }), query);
  };

  app.get('/projects/:project_id/environments', listProjectEnvironments, async (request) =>
    listPage(request, request.params.project_id, request.query),
  );

  app.get('/environments', listEnvironments, async (request) =>
    listPage(request, request.query.project_id, request.query),
  );

  app.post('/projects/:project_id/environments', createEnvironment, async (request, reply) => {
    const wanted = { projectId: request.params.project_id, input: request.body };
    const record = await environments.create(actorOf(request), wanted, changeOptions(request));
    return sendRecord(reply, record, 201);
  });

  app.post('/environments/:environment_id/clone', cloneEnvironment, async (request, reply) => {
    const wanted = { id: request.params.environment_id, input: request.body };
    const record = await environments.clone(actorOf(request), wanted, changeOptions(request));
    return sendRecord(reply, record, 201);
  });

  app.get('/environments/:environment_id', getEnvironment, async (request, reply) =>
    sendRecord(reply, await environments.get(actorOf(request), request.params.environment_id)),
  );

  app.patch('/environments/:environment_id', updateEnvironment, async (request, reply) => {
    const wanted = { id: request.params.environment_id, input: request.body };
    return sendRecord(reply, await environments.update(actorOf(request), wanted, changeOptions(request)));
  });

  app.put('/projects/:project_id/environments/order', orderEnvironments, async (request) => {
    const wanted = { projectId: request.params.project_id, ids: request.body.environment_ids };
    return data([...(await environments.reorder(actorOf(request), wanted, changeOptions(request)))]);
  });

  app.post('/environments/:environment_id/archive', archiveEnvironment, async (request, reply) => {
    const { environment_id: id } = request.params;
    return sendRecord(reply, await environments.archive(actorOf(request), id, changeOptions(request)));
  });

  app.post('/environments/:environment_id/restore', restoreEnvironment, async (request, reply) => {
    const { environment_id: id } = request.params;
    return sendRecord(reply, await environments.restore(actorOf(request), id, changeOptions(request)));
  });

  app.delete('/environments/:environment_id', deleteEnvironment, async (request, reply) => {
    const wanted = { id: request.params.environment_id, confirmKey: request.query.confirm_key };
    await environments.remove(actorOf(request), wanted, changeOptions(request));
    return reply.code(204).send();
  });
};
