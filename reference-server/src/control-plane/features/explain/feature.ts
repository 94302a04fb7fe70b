import type { Feature } from '../../feature.ts';
import { type ExplainDeps, explainRoutes } from './explain-routes.ts';

/** Explains evaluations rule by rule. */
export function createExplainFeature(explanations: ExplainDeps): Feature<undefined> {
  return {
    service: undefined,
    routes: async (app) => void (await app.register(explainRoutes, { explanations })),
  };
}
