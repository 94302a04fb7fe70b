import type { Feature } from '../../feature.ts';
import { freezeRoutes } from './freeze-routes.ts';
import { createFreezeService, type FreezeService, type FreezeServiceDeps } from './freeze-service.ts';
import { createFreezeNotices } from './notify-freezes.ts';

/** Freeze windows, and the notices before they begin. */
export function createFreezeFeature(deps: FreezeServiceDeps): Feature<FreezeService> {
  const { db, gate, now } = deps;
  const freezeWindows = createFreezeService(deps);
  return {
    service: freezeWindows,
    routes: async (app) => void (await app.register(freezeRoutes, { freezeWindows })),
    jobs: [{ name: 'freeze notices', run: createFreezeNotices({ db, gate, now }) }],
  };
}
