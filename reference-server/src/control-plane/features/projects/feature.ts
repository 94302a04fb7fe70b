import type { Feature } from '../../feature.ts';
import { projectRoutes } from './project-routes.ts';
import { createProjectService, type ProjectService, type ProjectServiceDeps } from './project-service.ts';
import { createProjectPurge } from './purge-projects.ts';

export interface ProjectFeatureDeps extends ProjectServiceDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Projects, and the nightly deletion of those that were archived more than 30 days ago. */
export function createProjectFeature(deps: ProjectFeatureDeps): Feature<ProjectService> {
  const { db, gate, now } = deps;
  const projects = createProjectService(deps);
  return {
    service: projects,
    routes: async (app) => void (await app.register(projectRoutes, { projects })),
    jobs: [{ name: 'archived projects', schedule: 'nightly', run: createProjectPurge({ db, gate, now }) }],
  };
}
