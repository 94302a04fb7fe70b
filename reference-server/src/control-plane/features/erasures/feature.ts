import { MINUTE_MS } from '../../../lib/durations.ts';
import type { Feature } from '../../feature.ts';
import { erasureRoutes } from './erasure-routes.ts';
import { createErasureService, type ErasureService, type ErasureServiceDeps } from './erasure-service.ts';

/** Orders to delete the events of users. */
export function createErasureFeature(deps: ErasureServiceDeps): Feature<ErasureService> {
  const erasures = createErasureService(deps);
  return {
    service: erasures,
    routes: async (app) => void (await app.register(erasureRoutes, { erasures })),
    jobs: [{ name: 'erasures', schedule: { everyMs: MINUTE_MS }, run: erasures.carryOut }],
  };
}
