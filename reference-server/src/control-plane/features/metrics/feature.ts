import type { Feature } from '../../feature.ts';
import { type MetricsDeps, metricsRoutes } from './metrics-routes.ts';

/** Counts of evaluations by flag and day. */
export function createMetricsFeature(metrics: MetricsDeps): Feature<undefined> {
  return {
    service: undefined,
    routes: async (app) => void (await app.register(metricsRoutes, { metrics })),
  };
}
