import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page, page } from '../../../http/envelope.ts';
import { Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import {
  Branch,
  CodeReference,
  NewSnapshot,
  PutSnapshot,
  Repository,
  Snapshot,
} from './code-reference-schemas.ts';
import type { CodeReferences } from './code-reference-service.ts';

/** The most that a snapshot may weigh on its way: all places that it may hold, with room for long paths. */
const SNAPSHOT_LIMIT_BYTES = 10 * 1024 * 1024;

const ProjectParams = Type.Object({ project_id: Id });
const tag = 'Code references';

const putCodeReferences = route({
  rateCategory: 'bulk',
  access: 'code_reference.write',
  operationId: 'putCodeReferences',
  tag,
  summary: 'Say where a branch of a repository names flags; replaces what it said before',
  params: ProjectParams,
  body: NewSnapshot,
  answer: [200, Data(PutSnapshot)],
  errors: ['PROJECT_NOT_FOUND'],
  writes: true,
});

const listCodeSnapshots = route({
  access: 'flag.read',
  operationId: 'listCodeSnapshots',
  tag,
  summary: 'List the repositories and branches that said where they name flags',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Snapshot)],
  errors: ['PROJECT_NOT_FOUND'],
});

const removeCodeReferences = route({
  access: 'code_reference.write',
  operationId: 'removeCodeReferences',
  tag,
  summary: 'Forget what a branch of a repository names, such as one that was merged',
  params: ProjectParams,
  query: Type.Object({ repository: Repository, branch: Branch }),
  answer: [204],
  errors: ['PROJECT_NOT_FOUND', 'CODE_SNAPSHOT_NOT_FOUND'],
  writes: true,
});

const listFlagCodeReferences = route({
  access: 'flag.read',
  operationId: 'listFlagCodeReferences',
  tag,
  summary: 'List the places of all repositories that name a flag, each with its address',
  params: Type.Object({ flag_id: Id }),
  query: Type.Object(pageQuery),
  answer: [200, Page(CodeReference)],
  errors: ['FLAG_NOT_FOUND'],
});

/** `/projects/{project_id}/code-references` and `/flags/{flag_id}/code-references` (decisions/0026). */
export const codeReferenceRoutes: FastifyPluginAsyncTypebox<{ codeReferences: CodeReferences }> = async (
  app,
  { codeReferences },
) => {
  app.put(
    '/projects/:project_id/code-references',
    { ...putCodeReferences, bodyLimit: SNAPSHOT_LIMIT_BYTES },
    async (request) => {
      const { params, body } = request;
      const options = changeOptions(request);
      return data(await codeReferences.put(actorOf(request), params.project_id, body, options));
    },
  );

  app.get('/projects/:project_id/code-references', listCodeSnapshots, async (request) => {
    const range = pageOf(request.query);
    const { project_id } = request.params;
    const { items, total } = await codeReferences.list(actorOf(request), project_id, range);
    return page(items, { ...range, total });
  });

  app.delete('/projects/:project_id/code-references', removeCodeReferences, async (request, reply) => {
    const { repository, branch } = request.query;
    const address = { projectId: request.params.project_id, repository, branch };
    await codeReferences.remove(actorOf(request), address, changeOptions(request));
    return reply.code(204).send();
  });

  app.get('/flags/:flag_id/code-references', listFlagCodeReferences, async (request) => {
    const range = pageOf(request.query);
    const { items, total } = await codeReferences.ofFlag(actorOf(request), request.params.flag_id, range);
    return page(items, { ...range, total });
  });
};
