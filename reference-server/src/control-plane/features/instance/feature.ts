import type { Feature } from '../../feature.ts';
import { type Instance, instanceRoutes } from './instance-routes.ts';

/** What this installation is and can do, and the refusal of endpoints of other deployment modes. */
export function createInstanceFeature(instance: Instance): Feature<undefined> {
  return {
    service: undefined,
    routes: async (app) => void (await app.register(instanceRoutes, { instance })),
  };
}
