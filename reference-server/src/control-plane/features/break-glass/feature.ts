import type { Feature } from '../../feature.ts';
import { breakGlassRoutes } from './break-glass-routes.ts';
import {
  type BreakGlassService,
  type BreakGlassServiceDeps,
  createBreakGlassService,
} from './break-glass-service.ts';

/** Break-glass sessions, and the job that closes expired ones and reports overdue reviews. */
export function createBreakGlassFeature(deps: BreakGlassServiceDeps): Feature<BreakGlassService> {
  const breakGlass = createBreakGlassService(deps);
  return {
    service: breakGlass,
    routes: async (app) => void (await app.register(breakGlassRoutes, { breakGlass })),
    jobs: [{ name: 'break-glass', run: breakGlass.sweep }],
  };
}
