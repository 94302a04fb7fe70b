import type { Feature } from '../../feature.ts';
import { tagRoutes } from './tag-routes.ts';
import { createTagService, type TagService, type TagServiceDeps } from './tag-service.ts';

export function createTagFeature(deps: TagServiceDeps): Feature<TagService> {
  const tags = createTagService(deps);
  return {
    service: tags,
    routes: async (app) => void (await app.register(tagRoutes, { tags })),
  };
}
