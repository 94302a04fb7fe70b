import type { Feature } from '../../feature.ts';
import { planPromote } from './promote-plan.ts';
import { promotionRoutes } from './promotion-routes.ts';
import {
  createPromotionService,
  type PromotionService,
  type PromotionServiceDeps,
} from './promotion-service.ts';

export type PromotionFeatureDeps = Omit<PromotionServiceDeps, 'planPromote'>;

/** Copying configurations from one environment to another, and comparing environments. */
export function createPromotionFeature(deps: PromotionFeatureDeps): Feature<PromotionService> {
  const promotions = createPromotionService({ ...deps, planPromote });
  return {
    service: promotions,
    routes: async (app) => void (await app.register(promotionRoutes, { promotions })),
  };
}
