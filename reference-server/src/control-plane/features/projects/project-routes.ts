import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page, page } from '../../../http/envelope.ts';
import { ApiError } from '../../../http/errors.ts';
import { Comment, Description, Id, Key, Name, Tags, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { NewEnvironmentBody } from '../environments/environment-schemas.ts';
import { ENVIRONMENTS_MAX } from '../environments/environment-state.ts';
import type { ProjectService } from './project-service.ts';
import { ProjectSettings, ProjectSettingsPatch } from './project-settings.ts';

const Project = Type.Object({
  id: Type.String({ description: '`prj_` and an opaque string.' }),
  organization_id: Type.String(),
  key: Key,
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  default_environment_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The chosen environment, else the first; null when the project has none.',
  }),
  settings: ProjectSettings,
  archived_at: Type.Union([Timestamp, Type.Null()], { description: 'Null unless the project is archived.' }),
  environments_count: Type.Integer(),
  flags_count: Type.Integer(),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const CreateBody = Type.Object({
  key: Key,
  name: Name,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  settings: Type.Optional(ProjectSettingsPatch),
  environments: Type.Optional(
    Type.Array(NewEnvironmentBody, {
      maxItems: ENVIRONMENTS_MAX,
      description: 'Default: development, staging and production. An empty list creates none.',
    }),
  ),
  comment: Type.Optional(Comment),
});

const UpdateBody = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  default_environment_id: Type.Optional(Id),
  settings: Type.Optional(ProjectSettingsPatch),
  comment: Type.Optional(Comment),
});

const Params = Type.Object({ project_id: Id });
const tag = 'Projects';

const listProjects = route({
  access: 'project.read',
  operationId: 'listProjects',
  tag,
  summary: 'List projects',
  description: 'Returns the projects of the organization, oldest first.',
  query: Type.Object({
    organization_id: Type.Optional(Id),
    archived: Type.Optional(
      Type.Boolean({ description: 'True lists only archived projects; default false.' }),
    ),
    ...pageQuery,
  }),
  answer: [200, Page(Project)],
  errors: ['ORGANIZATION_NOT_FOUND'],
});

const createProject = route({
  access: 'project.create',
  operationId: 'createProject',
  tag,
  summary: 'Create a project',
  description:
    'Creates a project and its environments. Refuses a key that another project has, archived or not.',
  body: CreateBody,
  answer: [201, Data(Project)],
  errors: ['PROJECT_KEY_CONFLICT', 'REGEX_INVALID'],
  writes: true,
});

const getProject = route({
  access: 'project.read',
  operationId: 'getProject',
  tag,
  summary: 'Read a project',
  description: 'Returns one project with its settings. An archived project is not found.',
  params: Params,
  answer: [200, Data(Project)],
  errors: ['PROJECT_NOT_FOUND'],
});

const updateProject = route({
  access: 'project.update',
  operationId: 'updateProject',
  tag,
  summary: 'Update a project',
  description: 'Changes the given fields; absent fields, also inside `settings`, keep their value.',
  params: Params,
  body: UpdateBody,
  answer: [200, Data(Project)],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'REGEX_INVALID'],
  writes: true,
});

const archiveProject = route({
  access: 'project.delete',
  operationId: 'archiveProject',
  tag,
  summary: 'Archive a project',
  description:
    'Hides the project and everything in it, and disables its API keys at once. It can be restored for 30 days and is ' +
    'deleted after that; until then its key stays taken.',
  params: Params,
  query: Type.Object({
    confirm_key: Type.String({ description: 'The key of the project, as a confirmation.' }),
  }),
  answer: [204],
  errors: ['PROJECT_NOT_FOUND'],
  writes: true,
});

const restoreProject = route({
  access: 'project.delete',
  operationId: 'restoreProject',
  tag,
  summary: 'Restore an archived project',
  description:
    'Restores a project and its API keys. A project that was archived more than 30 days ago is not found.',
  params: Params,
  answer: [200, Data(Project)],
  errors: ['PROJECT_NOT_FOUND'],
  writes: true,
});

/** `/projects`. */
export const projectRoutes: FastifyPluginAsyncTypebox<{ projects: ProjectService }> = async (
  app,
  { projects },
) => {
  app.get('/projects', listProjects, async (request) => {
    const actor = actorOf(request);
    const { organization_id, archived = false } = request.query;
    if (organization_id !== undefined && organization_id !== actor.organizationId) {
      throw new ApiError('ORGANIZATION_NOT_FOUND');
    }
    const range = pageOf(request.query);
    const { records, total } = await projects.list(actor, { ...range, archived });
    return page(records, { ...range, total });
  });

  app.post('/projects', createProject, async (request, reply) =>
    sendRecord(reply, await projects.create(actorOf(request), request.body, changeOptions(request)), 201),
  );

  app.get('/projects/:project_id', getProject, async (request, reply) =>
    sendRecord(reply, await projects.get(actorOf(request), request.params.project_id)),
  );

  app.patch('/projects/:project_id', updateProject, async (request, reply) => {
    const wanted = { id: request.params.project_id, patch: request.body };
    return sendRecord(reply, await projects.update(actorOf(request), wanted, changeOptions(request)));
  });

  app.delete('/projects/:project_id', archiveProject, async (request, reply) => {
    const wanted = { id: request.params.project_id, confirmKey: request.query.confirm_key };
    await projects.archive(actorOf(request), wanted, changeOptions(request));
    return reply.code(204).send();
  });

  app.post('/projects/:project_id/restore', restoreProject, async (request, reply) => {
    const options = changeOptions(request);
    return sendRecord(reply, await projects.restore(actorOf(request), request.params.project_id, options));
  });
};
