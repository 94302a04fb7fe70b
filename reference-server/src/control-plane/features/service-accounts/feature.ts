import type { Database } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { RecordLastUse } from '../../access/last-uses.ts';
import type { Feature } from '../../feature.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import type { AuthenticateMachineToken } from '../auth/tokens/machine-tokens.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { OrganizationService } from '../organizations/organization-service.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { serviceAccountRoutes } from './service-account-routes.ts';
import { createServiceAccounts, type ServiceAccounts } from './service-account-service.ts';
import { createServiceTokens, SERVICE_TOKEN_PREFIX } from './service-token-service.ts';

export interface ServiceAccountFeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** At least 32 characters; hashes tokens. */
  readonly apiSecretKey: string;
  readonly recordLastUse: RecordLastUse;
  readonly getOrganization: OrganizationService['get'];
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
}

export interface ServiceAccountFeatureService {
  readonly me: ServiceAccounts['me'];
  /** Authenticates tokens of service accounts, by the first four characters of the token. */
  readonly tokens: ReadonlyMap<string, AuthenticateMachineToken>;
}

/** Service accounts, agents and their tokens. */
export function createServiceAccountFeature(
  deps: ServiceAccountFeatureDeps,
): Feature<ServiceAccountFeatureService> {
  const {
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    getOrganization,
    requireProject,
    requireEnvironment,
    recordLastUse,
  } = deps;
  const serviceAccounts = createServiceAccounts({
    db,
    gate,
    newId,
    getOrganization,
    requireProject,
    requireEnvironment,
  });
  const serviceTokens = createServiceTokens({ db, gate, newId, now, apiSecretKey, recordLastUse });
  return {
    service: {
      me: serviceAccounts.me,
      tokens: new Map([[SERVICE_TOKEN_PREFIX, serviceTokens.authenticate]]),
    },
    routes: async (app) =>
      void (await app.register(serviceAccountRoutes, { serviceAccounts, serviceTokens })),
  };
}
