import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { FLAG_TYPES } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { invalid } from '../../../http/errors.ts';
import { Id, Timestamp } from '../../../http/schemas.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import { actorOf } from '../../access/request-actor.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { CLASSIFICATIONS, STALE_REASONS } from '../flags/flag-schemas.ts';
import { OVERVIEW_SORTS, readCursor } from './flag-cursor.ts';
import { FLAG_STATUSES, FlagViewCounts, OverviewFlag } from './overview-schemas.ts';
import type { OverviewService } from './overview-service.ts';
import { TOTAL_MAX } from './overview-store.ts';
import { SERVING_STATES } from './serving-state.ts';

const tag = 'Flags';
const ProjectParams = Type.Object({ project_id: Id });

/** A query parameter with some of these names, separated by commas. */
const someOf = (names: readonly string[], more = '') =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `One or more of ${names.map((name) => `\`${name}\``).join(', ')}, separated by commas.${more}`,
    }),
  );

const OverviewQuery = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words that must all occur in the name or key.' }),
  ),
  tag: Type.Optional(Type.String({ maxLength: 100 })),
  status: someOf(FLAG_STATUSES, ' Default: all except `archived`.'),
  flag_type: someOf(FLAG_TYPES),
  classification: someOf(CLASSIFICATIONS),
  owner_id: Type.Optional({ ...Id, description: '`me`, or the id of a member.' }),
  stale_reason: someOf(STALE_REASONS),
  changed_since: Type.Optional({
    ...Timestamp,
    description: 'Flags that changed since then, in any environment.',
  }),
  state: someOf(SERVING_STATES, ' In `environment_id`; without it, in any environment.'),
  environment_id: Type.Optional({ ...Id, description: 'Only with `state`: the environment it applies to.' }),
  sort: Type.Optional(Type.Enum([...OVERVIEW_SORTS], { description: 'Default `updated_at`.' })),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      description: 'Default `asc` for `name` and `key`, otherwise `desc`.',
    }),
  ),
  include: Type.Optional(
    Type.Enum(['evaluations'], { description: 'Adds the evaluations of the last 24 hours to each flag.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 2_000, description: '`meta.next_cursor`.' })),
  ...pageQuery,
});

const listProjectFlags = route({
  access: 'flag.read',
  operationId: 'listProjectFlags',
  tag,
  summary: 'List the flags of a project',
  description:
    'Returns each flag once, with a summary of what it serves in every environment. Filters combine; flags must match ' +
    'all of them. Follow `meta.next_cursor` to read a long list while others change flags.',
  params: ProjectParams,
  query: OverviewQuery,
  answer: [
    200,
    Type.Object({
      data: Type.Array(OverviewFlag),
      meta: Type.Object({
        page: Type.Integer({ minimum: 1 }),
        per_page: Type.Integer({ minimum: 1, maximum: 200 }),
        total: Type.Integer({
          minimum: 0,
          maximum: TOTAL_MAX,
          description: `Number of matching flags; ${TOTAL_MAX} if there are that many or more.`,
        }),
        next_cursor: Type.Union([Type.String(), Type.Null()], {
          description: 'Send it as `cursor`, with the same filters and order; null on the last page.',
        }),
      }),
    }),
  ],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
});

const countFlagViews = route({
  access: 'flag.read',
  operationId: 'countFlagViews',
  tag,
  summary: 'Count the flags of common views',
  description: 'Counts the flags of a project that are not archived, by what people look for.',
  params: ProjectParams,
  query: Type.Object({
    changed_since: Type.Optional({
      ...Timestamp,
      description: 'For `changed`; default the start of the current day in UTC.',
    }),
  }),
  answer: [200, Data(FlagViewCounts)],
  errors: ['PROJECT_NOT_FOUND'],
});

/** `/projects/{project_id}/flags`. */
export const overviewRoutes: FastifyPluginAsyncTypebox<{ overview: OverviewService }> = async (
  app,
  { overview },
) => {
  app.get('/projects/:project_id/flags', listProjectFlags, async (request) => {
    const actor = actorOf(request);
    const { query, params } = request;
    const { sort = 'updated_at', owner_id, cursor } = query;
    const { order = sort === 'name' || sort === 'key' ? 'asc' : 'desc' } = query;
    const { page, per_page, limit, offset } = pageOf(query);
    const after = cursor === undefined ? undefined : readCursor(cursor, { sort, order });
    const { flags, total, nextCursor } = await overview.list(actor, {
      filter: {
        projectId: params.project_id,
        search: query.search,
        tag: query.tag,
        statuses: namesIn(query, 'status', FLAG_STATUSES),
        flagTypes: namesIn(query, 'flag_type', FLAG_TYPES),
        classifications: namesIn(query, 'classification', CLASSIFICATIONS),
        ownerId: owner_id === 'me' ? (actor.id ?? '') : owner_id,
        staleReasons: namesIn(query, 'stale_reason', STALE_REASONS),
        changedSince: timeIn(query.changed_since),
        states: namesIn(query, 'state', SERVING_STATES),
        environmentId: query.environment_id,
      },
      range: { sort, order, limit, offset, after },
      withEvaluations: query.include === 'evaluations',
    });
    return { data: flags, meta: { page, per_page, total, next_cursor: nextCursor } };
  });

  app.get('/projects/:project_id/flag-views', countFlagViews, async (request) => {
    const wanted = {
      projectId: request.params.project_id,
      changedSince: timeIn(request.query.changed_since),
    };
    return data(await overview.views(actorOf(request), wanted));
  });
};

const timeIn = (text: string | undefined) => text && normalizeTimestamp(text, 'changed_since', 'query');

/** Reads names separated by commas. Throws VALIDATION_ERROR for a name that is not allowed. */
function namesIn<Field extends string, Name extends string>(
  query: { readonly [Key in Field]?: string },
  field: Field,
  allowed: readonly Name[],
): readonly Name[] | undefined {
  return query[field]?.split(',').map((text: string) => {
    const name = allowed.find((one) => one === text);
    if (name !== undefined) return name;
    const message = `must be a comma-separated list of these: ${allowed.join(', ')}`;
    throw invalid({ field, location: 'query', code: 'enum', message });
  });
}
