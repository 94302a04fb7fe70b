import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Page, page } from '../../../http/envelope.ts';
import { invalid } from '../../../http/errors.ts';
import { Id, Key } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import type { SearchService } from './search-service.ts';
import { SEARCH_MATCHES, SEARCH_TYPES, type SearchType } from './search-store.ts';

const PLURALS: Readonly<Record<string, SearchType>> = { flags: 'flag', segments: 'segment' };

const searchEverything = route({
  access: 'flag.read',
  operationId: 'search',
  tag: 'Search',
  summary: 'Search flags and segments',
  description:
    'Finds flags and segments whose key, name or description contains every word of the query, best matches first. ' +
    'Archived flags and projects are left out.',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Words to find. No character has a special meaning.',
    }),
    types: Type.Optional(
      Type.String({
        maxLength: 100,
        description: '`flags`, `segments` or both, separated by a comma. Default both.',
      }),
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
            'What matched, from best to worst: the exact key, the start of the key, the start of the name, or any text.',
        }),
      }),
    ),
  ],
  errors: ['PROJECT_NOT_FOUND'],
});

/** `/search`. */
export const searchRoutes: FastifyPluginAsyncTypebox<{ search: SearchService }> = async (app, { search }) => {
  app.get('/search', searchEverything, async (request) => {
    const { q, types, project_id: projectId } = request.query;
    const range = pageOf(request.query);
    const query = { ...range, text: q, types: readTypes(types), projectId };
    const { hits, total } = await search.search(actorOf(request), query);
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
      message: `must be a comma-separated list of these: ${Object.keys(PLURALS).join(', ')}`,
    });
  });
}
