import type { Feature } from '../../feature.ts';
import { type ExplainDeps, explainRoutes } from './explain-routes.ts';
import { environmentRulesetRoutes } from './ruleset-routes.ts';

/** Explains evaluations rule by rule, and shows people the ruleset that is evaluated. */
export function createExplainFeature(explanations: ExplainDeps): Feature<undefined> {
  return {
    service: undefined,
    routes: async (app) => {
      await app.register(explainRoutes, { explanations });
      await app.register(environmentRulesetRoutes, { currentRuleset: explanations.currentRuleset });
    },
  };
}
