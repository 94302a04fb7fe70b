import type { Feature } from '../../feature.ts';
import type { StalenessJobDeps } from './flag-changes.ts';
import { createFlagHealthService, type FlagHealthServiceDeps } from './flag-health.ts';
import { lifecycleRoutes } from './lifecycle-routes.ts';
import {
  createLifecycleService,
  type LifecycleService,
  type LifecycleServiceDeps,
} from './lifecycle-service.ts';
import { createStalenessJob } from './staleness-job.ts';

export type LifecycleFeatureDeps = LifecycleServiceDeps & StalenessJobDeps & FlagHealthServiceDeps;

/** The status of flags, the nightly search for stale ones, and flag health. */
export function createLifecycleFeature(deps: LifecycleFeatureDeps): Feature<LifecycleService> {
  const { db, gate, now, lookups, listStates, lastCodeReferences, requireProject, listUnusedKeys, events } =
    deps;
  const lifecycle = createLifecycleService(deps);
  const flagHealth = createFlagHealthService({ db, now, requireProject, listUnusedKeys });
  const staleness = createStalenessJob({ db, gate, now, lookups, listStates, lastCodeReferences, events });
  return {
    service: lifecycle,
    routes: async (app) => void (await app.register(lifecycleRoutes, { lifecycle, flagHealth })),
    jobs: [{ name: 'stale flags', schedule: 'nightly', run: staleness.run }],
  };
}
