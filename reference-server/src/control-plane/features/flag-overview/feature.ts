import type { Feature } from '../../feature.ts';
import { overviewRoutes } from './overview-routes.ts';
import { createOverviewService, type OverviewService, type OverviewServiceDeps } from './overview-service.ts';

/** The flags of a project with their state in every environment. */
export function createFlagOverviewFeature(deps: OverviewServiceDeps): Feature<OverviewService> {
  const overview = createOverviewService(deps);
  return {
    service: overview,
    routes: async (app) => void (await app.register(overviewRoutes, { overview })),
  };
}
