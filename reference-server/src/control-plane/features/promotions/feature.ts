import type { Feature } from '../../feature.ts';
import { promotionRoutes } from './promotion-routes.ts';
import {
  createPromotionService,
  type PromotionService,
  type PromotionServiceDeps,
} from './promotion-service.ts';

export function createPromotionFeature(deps: PromotionServiceDeps): Feature<PromotionService> {
  const promotions = createPromotionService(deps);
  return {
    service: promotions,
    routes: async (app) => void (await app.register(promotionRoutes, { promotions })),
  };
}
