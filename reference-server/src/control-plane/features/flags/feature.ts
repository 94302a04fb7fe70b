import type { Context } from '@flagsvc/sdk-core';
import type { Queryable } from '../../../storage/database.ts';
import type { Feature } from '../../feature.ts';
import { planPromote } from '../promotions/promote-plan.ts';
import { bulkRoutes } from './bulk/bulk-routes.ts';
import { createBulkService } from './bulk/bulk-service.ts';
import { flagKeyRoutes } from './flag-key-routes.ts';
import { flagRoutes } from './flag-routes.ts';
import { createFlagService, type FlagService, type FlagServiceDeps } from './flag-service.ts';
import { flagViewRoutes } from './flag-view-routes.ts';
import { previewRoutes } from './preview/preview-routes.ts';
import { createPreviewService } from './preview/preview-service.ts';

export interface FlagFeatureDeps extends FlagServiceDeps {
  /** The recorded contexts of an environment; undefined when it records none. */
  readonly recentContexts: (db: Queryable, environmentId: string) => Promise<readonly Context[] | undefined>;
}

/** Feature flags, bulk changes and previews of changes. */
export function createFlagFeature(deps: FlagFeatureDeps): Feature<FlagService> {
  const { db, gate, newId, lookups, recentContexts } = deps;
  const flags = createFlagService(deps);
  const bulk = createBulkService({ gate, newId, lookups, planPromote });
  const preview = createPreviewService({ db, newId, lookups, recentContexts });
  return {
    service: flags,
    routes: async (app) => {
      await app.register(flagRoutes, { flags });
      await app.register(flagKeyRoutes, { flags });
      await app.register(flagViewRoutes, { flags });
      await app.register(bulkRoutes, { bulk });
      await app.register(previewRoutes, { preview });
    },
  };
}
