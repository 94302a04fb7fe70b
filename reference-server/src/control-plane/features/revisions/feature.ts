import type { Feature } from '../../feature.ts';
import { planRevision } from './plan-revision.ts';
import { revisionRoutes } from './revision-routes.ts';
import { createRevisionService, type RevisionService, type RevisionServiceDeps } from './revision-service.ts';

export type RevisionFeatureDeps = Omit<RevisionServiceDeps, 'planRevision'>;

/** The past states of flags: read, compared and restored. */
export function createRevisionFeature(deps: RevisionFeatureDeps): Feature<RevisionService> {
  const revisions = createRevisionService({ ...deps, planRevision });
  return {
    service: revisions,
    routes: async (app) => void (await app.register(revisionRoutes, { revisions })),
  };
}
