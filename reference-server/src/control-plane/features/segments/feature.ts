import type { Feature } from '../../feature.ts';
import { segmentRoutes } from './segment-routes.ts';
import { createSegmentService, type SegmentService, type SegmentServiceDeps } from './segment-service.ts';

export function createSegmentFeature(deps: SegmentServiceDeps): Feature<SegmentService> {
  const segments = createSegmentService(deps);
  return {
    service: segments,
    routes: async (app) => void (await app.register(segmentRoutes, { segments })),
  };
}
