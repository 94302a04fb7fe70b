import type { Feature } from '../../feature.ts';
import { revisionRoutes } from './revision-routes.ts';
import { createRevisionService, type RevisionService, type RevisionServiceDeps } from './revision-service.ts';

export function createRevisionFeature(deps: RevisionServiceDeps): Feature<RevisionService> {
  const revisions = createRevisionService(deps);
  return {
    service: revisions,
    routes: async (app) => void (await app.register(revisionRoutes, { revisions })),
  };
}
