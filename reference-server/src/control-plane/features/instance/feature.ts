import type { Feature } from '../../feature.ts';
import { type Instance, instanceRoutes } from './instance-routes.ts';

/** Describes this installation and its features, and refuses the endpoints that its deployment mode lacks. */
export function createInstanceFeature(instance: Instance): Feature<undefined> {
  return {
    service: undefined,
    routes: async (app) => void (await app.register(instanceRoutes, { instance })),
  };
}
