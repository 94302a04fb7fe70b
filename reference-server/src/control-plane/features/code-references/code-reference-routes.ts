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
import type { CodeReferenceService } from './code-reference-service.ts';

/** Enough for 20,000 references with long paths. */
const SNAPSHOT_LIMIT_BYTES = 10 * 1024 * 1024;

const ProjectParams = Type.Object({ project_id: Id });
const tag = 'Code references';

const putCodeReferences = route({
  rateCategory: 'bulk',
  access: 'code_reference.write',
  operationId: 'putCodeReferences',
  tag,
  summary: 'Upload code references',
  description:
    'Stores where the code of a branch names flags, and replaces the previous upload of this branch. Returns the ' +
    'named keys that belong to no flag. Sending the same snapshot again changes nothing.',
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
  summary: 'List code reference snapshots',
  description: 'Returns the latest snapshot of each repository and branch, without its references.',
  params: ProjectParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Snapshot)],
  errors: ['PROJECT_NOT_FOUND'],
});

const removeCodeReferences = route({
  access: 'code_reference.write',
  operationId: 'removeCodeReferences',
  tag,
  summary: 'Delete the code references of a branch',
  description: 'Deletes the snapshot of a branch, for example after it was merged.',
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
  summary: 'List the code references of a flag',
  description: 'Returns each place that names the flag, in all repositories and branches, with its URL.',
  params: Type.Object({ flag_id: Id }),
  query: Type.Object(pageQuery),
  answer: [200, Page(CodeReference)],
  errors: ['FLAG_NOT_FOUND'],
});

/** `/projects/{project_id}/code-references` and `/flags/{flag_id}/code-references`. */
export const codeReferenceRoutes: FastifyPluginAsyncTypebox<{
  codeReferences: CodeReferenceService;
}> = async (app, { codeReferences }) => {
  app.put(
    '/projects/:project_id/code-references',
    { ...putCodeReferences, bodyLimit: SNAPSHOT_LIMIT_BYTES },
    async (request) => {
      const wanted = { projectId: request.params.project_id, input: request.body };
      return data(await codeReferences.put(actorOf(request), wanted, changeOptions(request)));
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
    const { items, total } = await codeReferences.listByFlag(actorOf(request), request.params.flag_id, range);
    return page(items, { ...range, total });
  });
};
