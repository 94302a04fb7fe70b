import type { Feature } from '../../feature.ts';
import { environmentRoutes } from './environment-routes.ts';
import {
  createEnvironmentService,
  type EnvironmentService,
  type EnvironmentServiceDeps,
} from './environment-service.ts';

export function createEnvironmentFeature(deps: EnvironmentServiceDeps): Feature<EnvironmentService> {
  const environments = createEnvironmentService(deps);
  return {
    service: environments,
    routes: async (app) => void (await app.register(environmentRoutes, { environments })),
  };
}
