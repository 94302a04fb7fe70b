import type { Feature } from '../../feature.ts';
import { searchRoutes } from './search-routes.ts';
import { createSearchService, type SearchService, type SearchServiceDeps } from './search-service.ts';

export function createSearchFeature(deps: SearchServiceDeps): Feature<SearchService> {
  const search = createSearchService(deps);
  return {
    service: search,
    routes: async (app) => void (await app.register(searchRoutes, { search })),
  };
}
