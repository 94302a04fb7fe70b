import type { Database } from '../../../storage/database.ts';
import type { Feature } from '../../feature.ts';
import { preferenceRoutes } from './preference-routes.ts';

/** What people chose in the dashboard. */
export function createPreferenceFeature(deps: {
  readonly db: Database;
  readonly now: () => number;
}): Feature<undefined> {
  return { service: undefined, routes: async (app) => void (await app.register(preferenceRoutes, deps)) };
}
