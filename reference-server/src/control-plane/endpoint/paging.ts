import { type Static, Type } from 'typebox';
import { page } from '../../http/envelope.ts';

/** Query parameters of every paged list. */
export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Default 1.' })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
};

const PageQuery = Type.Object(pageQuery);

/** The requested page with its defaults, and as `limit` and `offset` for a database query. */
export function pageOf(query: Static<typeof PageQuery>): {
  page: number;
  per_page: number;
  limit: number;
  offset: number;
} {
  const { page = 1, per_page = 50 } = query;
  return { page, per_page, limit: per_page, offset: (page - 1) * per_page };
}

/** The answer with the requested page of a list in memory; for lists that stay short. */
export function cutPage<T>(all: readonly T[], query: Static<typeof PageQuery>): ReturnType<typeof page<T>> {
  const { limit, offset, ...range } = pageOf(query);
  return page(all.slice(offset, offset + limit), { ...range, total: all.length });
}
