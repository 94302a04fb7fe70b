import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Page, page } from '../../../http/envelope.ts';
import { invalid } from '../../../http/errors.ts';
import { Id, Key } from '../../../http/schemas.ts';
import type { Database } from '../../../storage/database.ts';
import { actorOf } from '../../access/request-actor.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { SEARCH_MATCHES, SEARCH_TYPES, type SearchType, search } from './search-store.ts';

export interface SearchDeps {
  readonly db: Database;
  readonly requireProject: RequireProject;
}

const PLURALS: Readonly<Record<string, SearchType>> = { flags: 'flag', segments: 'segment' };

const searchEverything = route({
  access: 'flag.read',
  operationId: 'search',
  tag: 'Search',
  summary: 'Find flags and segments by parts of their key, name or description',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Words, each a part of one of them; no character has a special meaning.',
    }),
    types: Type.Optional(
      Type.String({ maxLength: 100, description: 'Of `flags,segments`, with commas; default all.' }),
    ),
    project_id: Type.Optional(Id),
    ...pageQuery,
  }),
  answer: [
    200,
    Page(
      Type.Object({
        type: Type.Enum([...SEARCH_TYPES]),
        id: Type.String(),
        key: Key,
        name: Type.String(),
        project_id: Type.String(),
        match: Type.Enum([...SEARCH_MATCHES], {
          description:
            'Why it stands where it stands: exact key, start of the key, start of the name, any text.',
        }),
      }),
    ),
  ],
  errors: ['PROJECT_NOT_FOUND'],
});

/** `/search`. */
export const searchRoutes: FastifyPluginAsyncTypebox<{ search: SearchDeps }> = async (
  app,
  { search: deps },
) => {
  const { db, requireProject } = deps;
  app.get('/search', searchEverything, async (request) => {
    const { organizationId } = actorOf(request);
    const { q, types, project_id: projectId } = request.query;
    if (projectId !== undefined) await requireProject(db, organizationId, projectId);
    const range = pageOf(request.query);
    const query = { ...range, text: q, types: readTypes(types), projectId };
    const { hits, total } = await search(db, organizationId, query);
    return page(hits, { ...range, total });
  });
};

function readTypes(text: string | undefined): readonly SearchType[] {
  if (text === undefined) return SEARCH_TYPES;
  return text.split(',').map((name) => {
    const type = Object.hasOwn(PLURALS, name) ? PLURALS[name] : undefined;
    if (type !== undefined) return type;
    throw invalid({
      field: 'types',
      location: 'query',
      code: 'enum',
      message: `must be of ${Object.keys(PLURALS).join(', ')}`,
    });
  });
}
