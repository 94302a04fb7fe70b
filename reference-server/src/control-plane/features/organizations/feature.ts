import type { Feature } from '../../feature.ts';
import { organizationRoutes } from './organization-routes.ts';
import {
  createOrganizationService,
  type OrganizationService,
  type OrganizationServiceDeps,
} from './organization-service.ts';

/** Organizations and their settings; in `oss` mode there is only one. */
export function createOrganizationFeature(deps: OrganizationServiceDeps): Feature<OrganizationService> {
  const organizations = createOrganizationService(deps);
  return {
    service: organizations,
    routes: async (app) => void (await app.register(organizationRoutes, { organizations })),
  };
}
