import type { Role } from '../control-plane/access/roles.ts';
import type { Feature } from '../control-plane/feature.ts';
import { createApiKeyFeature } from '../control-plane/features/api-keys/feature.ts';
import { createAuditRetention } from '../control-plane/features/audit/audit-retention.ts';
import { createAuthFeature } from '../control-plane/features/auth/feature.ts';
import { hasConfirmedFactor, removeFactor } from '../control-plane/features/auth/mfa/second-factor-store.ts';
import { createPasswordPolicy } from '../control-plane/features/auth/passwords/password-policy.ts';
import { requireRecentLogin } from '../control-plane/features/auth/sessions/recent-login.ts';
import { endAccess, endSessions } from '../control-plane/features/auth/sessions/session-store.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import { createMemberFeature } from '../control-plane/features/members/feature.ts';
import { countWithoutFactor } from '../control-plane/features/members/member-store.ts';
import { createOrganizationFeature } from '../control-plane/features/organizations/feature.ts';
import { readOrganizationSettings } from '../control-plane/features/organizations/read-organization-settings.ts';
import { requireProject } from '../control-plane/features/projects/require-project.ts';
import { createServiceAccountFeature } from '../control-plane/features/service-accounts/feature.ts';
import { createUserFeature } from '../control-plane/features/users/feature.ts';
import type { Mailer } from '../control-plane/mail/mailer.ts';
import type { WriteGate } from '../control-plane/write-gate/change.ts';
import type { PublishedRuleset } from '../data-plane/ports.ts';
import type { RegistrationMode } from '../lib/deployment-modes.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../storage/database.ts';
import type { NewId } from '../storage/ids.ts';
import { createDeliveryFeatures, registerDeliveryRoutes } from './delivery-features.ts';
import { createFlagFeatures, registerFlagRoutes } from './flag-features.ts';
import { createGovernanceFeatures, registerGovernanceRoutes } from './governance-features.ts';

/** Everything the features need from outside. `wireFeatures` hands each feature only what it names. */
export interface WiringDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly jwtSecretKey: string;
  readonly apiSecretKey: string;
  readonly registration: RegistrationMode;
  readonly passwordBlocklist?: boolean;
  readonly defaultRole: Role;
  /** Days for which the key of a flag that was deleted for good is reserved; default 365. */
  readonly keyReservationDays?: number | undefined;
  /** Takes messages to people. */
  readonly mailer: Mailer;
  /** Address of the dashboard, without a slash at its end. */
  readonly dashboardUrl: string;
  /** Hears of what went wrong in the background. */
  readonly onError: (error: unknown) => void;
  /** Calls others. */
  readonly outbound: Outbound;
  /** The ruleset that an environment is served now. */
  readonly currentRuleset: (environmentId: string) => Promise<PublishedRuleset>;
  /** From 0 to 1; spreads retries. */
  readonly random: () => number;
  /** Whether this process runs the background jobs by itself; false: only `runBackground` does. */
  readonly hasBackground: boolean;
  /** Whether this process does the work of the background: of several on one database, one does. */
  readonly isLeading: () => boolean;
  /** Hears why a webhook could not be reached. */
  readonly onFault: (webhookId: string, detail: string) => void;
}

/**
 * The one list of features. Each is made from what it names, services of features above it included. The order of the
 * returned record is the order in which routes are registered and jobs run.
 */
export function wireFeatures(deps: WiringDeps) {
  const { db, gate, newId, now, apiSecretKey, mailer, registration, dashboardUrl } = deps;
  const passwordPolicy = createPasswordPolicy({ isOn: deps.passwordBlocklist === true });

  const users = createUserFeature({ db, now });
  const organizations = createOrganizationFeature({
    db,
    gate,
    hasSecondFactor: hasConfirmedFactor,
    countWithoutFactor,
  });
  const serviceAccounts = createServiceAccountFeature({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    getOrganization: organizations.service.get,
    requireProject,
    requireEnvironment,
  });
  const auth = createAuthFeature({
    db,
    gate,
    newId,
    now,
    jwtSecretKey: deps.jwtSecretKey,
    apiSecretKey,
    registration,
    defaultRole: deps.defaultRole,
    passwordPolicy,
    mailer,
    dashboardUrl,
    users: users.service,
    readOrganizationSettings,
    serviceAccounts: serviceAccounts.service,
    serviceTokens: serviceAccounts.service.tokens,
  });
  const members = createMemberFeature({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    registration,
    passwordPolicy,
    mailer,
    dashboardUrl,
    users: users.service,
    readOrganizationSettings,
    requireProject,
    requireEnvironment,
    requireRecentLogin,
    removeFactor,
    endSessions,
    endAccess,
  });
  const apiKeys = createApiKeyFeature({ db, gate, newId, now, apiSecretKey, requireEnvironment });
  const flags = createFlagFeatures(deps);
  const governance = createGovernanceFeatures({ ...deps, flags: flags.flags });
  const delivery = createDeliveryFeatures(deps);

  return {
    // Each noun is a line here, in place of the four groups.
    auth,
    serviceAccounts,
    organizations,
    members,
    apiKeys,
    auditRetention: {
      service: undefined,
      jobs: [
        {
          name: 'audit retention',
          schedule: 'nightly',
          run: createAuditRetention({ db, gate, now, peopleOf: readOrganizationSettings }),
        },
      ],
    },
    users,
    governance: {
      service: governance,
      routes: (app) => registerGovernanceRoutes(app, governance),
      jobs: governance.governanceJobs,
    },
    flags: {
      service: flags,
      routes: (app) => registerFlagRoutes(app, flags),
      jobs: flags.flagJobs,
    },
    delivery: {
      service: delivery,
      routes: (app) => registerDeliveryRoutes(app, delivery),
      jobs: delivery.deliveryJobs,
      commitListeners: deps.hasBackground ? [delivery.pokeDeliveries] : [],
    },
  } satisfies Record<string, Feature<unknown>>;
}

export type Features = ReturnType<typeof wireFeatures>;
