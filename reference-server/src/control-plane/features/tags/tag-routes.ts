import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import type { TagService } from './tag-service.ts';

const Name = Type.String({ minLength: 1, maxLength: 100 });
const Tag = Type.Object({ tag: Type.String(), flags_count: Type.Integer(), segments_count: Type.Integer() });
const ProjectParams = Type.Object({ project_id: Id });
const Params = Type.Object({ project_id: Id, tag: Name });
const tag = 'Tags';

const listTags = route({
  access: 'flag.read',
  operationId: 'listTags',
  tag,
  summary: 'List the tags of a project by name, with how many flags and segments have them',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Tag)],
  errors: ['PROJECT_NOT_FOUND'],
});

const renameTag = route({
  access: 'flag.write',
  operationId: 'renameTag',
  tag,
  summary: 'Rename a tag everywhere; with the name of another one, the two become one',
  params: Params,
  body: Type.Object({ name: Name, comment: Type.Optional(Comment) }),
  answer: [200, Data(Tag)],
  errors: ['PROJECT_NOT_FOUND', 'TAG_NOT_FOUND'],
  writes: true,
});

const deleteTag = route({
  access: 'flag.write',
  operationId: 'deleteTag',
  tag,
  summary: 'Take a tag from everything that has it',
  params: Params,
  answer: [204],
  errors: ['PROJECT_NOT_FOUND', 'TAG_NOT_FOUND'],
  writes: true,
});

/** `/projects/{project_id}/tags`. */
export const tagRoutes: FastifyPluginAsyncTypebox<{ tags: TagService }> = async (app, { tags }) => {
  app.get('/projects/:project_id/tags', listTags, async (request) =>
    cutPage(await tags.list(actorOf(request), request.params.project_id), request.query),
  );

  app.patch('/projects/:project_id/tags/:tag', renameTag, async (request) => {
    const { params, body } = request;
    const options = changeOptions(request);
    return data(await tags.rename(actorOf(request), params.project_id, params.tag, body.name, options));
  });

  app.delete('/projects/:project_id/tags/:tag', deleteTag, async (request, reply) => {
    const { project_id, tag: name } = request.params;
    await tags.remove(actorOf(request), project_id, name, changeOptions(request));
    return reply.code(204).send();
  });
};
