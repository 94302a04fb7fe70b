import type { Feature } from '../../feature.ts';
import { createRunDue, type RunDueDeps } from './run-due.ts';
import { scheduledChangeRoutes } from './scheduled-change-routes.ts';
import {
  createScheduledChangeService,
  type ScheduledChangeService,
  type ScheduledChangeServiceDeps,
} from './scheduled-change-service.ts';

export type ScheduledChangeFeatureDeps = ScheduledChangeServiceDeps & RunDueDeps;

/** Scheduled changes of flags, and the job that executes the due ones. */
export function createScheduledChangeFeature(
  deps: ScheduledChangeFeatureDeps,
): Feature<ScheduledChangeService> {
  const scheduledChanges = createScheduledChangeService(deps);
  return {
    service: scheduledChanges,
    routes: async (app) => void (await app.register(scheduledChangeRoutes, { scheduledChanges })),
    jobs: [{ name: 'scheduled changes', run: createRunDue(deps) }],
  };
}
