import type { Feature } from '../../feature.ts';
import { planPromote } from './promote-plan.ts';
import { promotionRoutes } from './promotion-routes.ts';
import {
  createPromotionService,
  type PromotionService,
  type PromotionServiceDeps,
} from './promotion-service.ts';

export type PromotionFeatureDeps = Omit<PromotionServiceDeps, 'planPromote'>;

/** Copies of configurations between environments, and their comparison. */
export function createPromotionFeature(deps: PromotionFeatureDeps): Feature<PromotionService> {
  const promotions = createPromotionService({ ...deps, planPromote });
  return {
    service: promotions,
    routes: async (app) => void (await app.register(promotionRoutes, { promotions })),
  };
}
