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
  summary: 'List the tags of a project',
  description:
    'Returns the tags by name, with the number of flags and segments that have each. Archived flags are counted too.',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Tag)],
  errors: ['PROJECT_NOT_FOUND'],
});

const renameTag = route({
  access: 'flag.write',
  operationId: 'renameTag',
  tag,
  summary: 'Rename a tag',
  description:
    'Renames the tag on every flag and segment of the project. If another tag already has the new name, the two merge.',
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
  summary: 'Delete a tag',
  description: 'Removes the tag from every flag and segment of the project.',
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
    const { project_id: projectId, tag } = request.params;
    const wanted = { projectId, tag, name: request.body.name };
    return data(await tags.rename(actorOf(request), wanted, changeOptions(request)));
  });

  app.delete('/projects/:project_id/tags/:tag', deleteTag, async (request, reply) => {
    const { project_id: projectId, tag } = request.params;
    await tags.remove(actorOf(request), { projectId, tag }, changeOptions(request));
    return reply.code(204).send();
  });
};
