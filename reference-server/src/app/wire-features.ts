import type { Feature } from '../control-plane/feature.ts';
import { createApiKeyFeature } from '../control-plane/features/api-keys/feature.ts';
import { createAuditRetention } from '../control-plane/features/audit/audit-retention.ts';
import { createAuthFeature } from '../control-plane/features/auth/feature.ts';
import { hasConfirmedFactor, removeFactor } from '../control-plane/features/auth/mfa/second-factor-store.ts';
import { createPasswordPolicy } from '../control-plane/features/auth/passwords/password-policy.ts';
import { requireRecentLogin } from '../control-plane/features/auth/sessions/recent-login.ts';
import { endAccess, endSessions } from '../control-plane/features/auth/sessions/session-store.ts';
import { createBreakGlassNotifier } from '../control-plane/features/break-glass/notify-break-glass.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import { createEventFeature } from '../control-plane/features/events/feature.ts';
import { createExplainFeature } from '../control-plane/features/explain/feature.ts';
import { createInstanceFeature } from '../control-plane/features/instance/feature.ts';
import { createMemberFeature } from '../control-plane/features/members/feature.ts';
import { countWithoutFactor, listAdmins } from '../control-plane/features/members/member-store.ts';
import { createMetricsFeature } from '../control-plane/features/metrics/feature.ts';
import { createOrganizationFeature } from '../control-plane/features/organizations/feature.ts';
import { readOrganizationSettings } from '../control-plane/features/organizations/read-organization-settings.ts';
import { requireProject } from '../control-plane/features/projects/require-project.ts';
import { createRecordedContextFeature } from '../control-plane/features/recorded-contexts/feature.ts';
import { createServiceAccountFeature } from '../control-plane/features/service-accounts/feature.ts';
import { createUserFeature } from '../control-plane/features/users/feature.ts';
import { createWebhookFeature } from '../control-plane/features/webhooks/feature.ts';
import type { Mailer } from '../control-plane/mail/mailer.ts';
import type { WriteGate } from '../control-plane/write-gate/change.ts';
import type { Publisher } from '../publishing/publish.ts';
import type { NewId } from '../storage/ids.ts';
import { createFlagFeatures, registerFlagRoutes } from './flag-features.ts';
import { createGovernanceFeatures, registerGovernanceRoutes } from './governance-features.ts';
import type { ServerSettings } from './server-deps.ts';

export interface WiringDeps {
  readonly settings: ServerSettings;
  readonly newId: NewId;
  readonly gate: WriteGate;
  readonly mailer: Mailer;
  readonly publisher: Publisher;
  /** True while this process is the one that runs background jobs. */
  readonly isLeading: () => boolean;
}

/**
 * The one list of features. Each is made from what it names, services of features above it included. The order of the
 * returned record is the order in which routes are registered and jobs run.
 */
export function wireFeatures({ settings, newId, gate, mailer, publisher, isLeading }: WiringDeps) {
  const { db, now, random, logger, apiSecretKey, registration, dashboardUrl } = settings;
  const passwordPolicy = createPasswordPolicy({ isOn: settings.passwordBlocklist });

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
    jwtSecretKey: settings.jwtSecretKey,
    apiSecretKey,
    registration,
    defaultRole: settings.defaultRole,
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
  const onError = (err: unknown) => logger?.error({ err }, 'background work failed');
  const grouped = { db, gate, newId, now, onError, keyReservationDays: settings.keyReservationDays };
  const flags = createFlagFeatures(grouped);
  const governance = createGovernanceFeatures({ ...grouped, flags: flags.flags });
  const metrics = createMetricsFeature({ db, now, getFlag: flags.flags.get });
  const explanations = createExplainFeature({
    now,
    async currentRuleset({ organizationId }, environmentId) {
      await requireEnvironment(db, organizationId, environmentId);
      return publisher.current({ kind: 'server', environmentId });
    },
  });
  const events = createEventFeature({ db, now });
  const recordedContexts = createRecordedContextFeature({
    db,
    apiSecretKey,
    now,
    random,
    onError: (err) => logger?.error({ err }, 'contexts were not recorded'),
  });
  const webhooks = createWebhookFeature({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    mailer,
    outbound: settings.outbound,
    random,
    onError,
    onFault: (webhook_id, fault) => logger?.info({ webhook_id, fault }, 'webhook not reached'),
    isLeading,
    sendsAtCommit: settings.backgroundIntervalMs !== undefined,
    notifier: createBreakGlassNotifier({ db, mailer, listAdmins }),
    requireProject,
    requireEnvironment,
    listAdmins,
  });

  return {
    // Each noun is a line here, in place of the two groups.
    instance: createInstanceFeature({
      version: settings.version,
      mode: settings.deploymentMode,
      registration,
    }),
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
    metrics,
    flags: {
      service: flags,
      routes: (app) => registerFlagRoutes(app, flags),
      jobs: flags.flagJobs,
    },
    webhooks,
    explanations,
    events,
    recordedContexts,
  } satisfies Record<string, Feature<unknown>>;
}

export type Features = ReturnType<typeof wireFeatures>;
