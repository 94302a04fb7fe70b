import type { Feature } from '../../feature.ts';
import { attentionRoutes } from './attention-routes.ts';
import { type AttentionDeps, createAttentionService } from './attention-service.ts';

/** What in a project needs somebody's attention. */
export function createAttentionFeature(deps: AttentionDeps): Feature<undefined> {
  const attention = createAttentionService(deps);
  return {
    service: undefined,
    routes: async (app) => void (await app.register(attentionRoutes, { attention })),
  };
}
