import { createRecordLastUse } from '../control-plane/access/last-uses.ts';
import type { Feature } from '../control-plane/feature.ts';
import { listUnusedKeys } from '../control-plane/features/api-keys/api-key-store.ts';
import { createKeyExpiryNotices } from '../control-plane/features/api-keys/expiry-notices.ts';
import { createApiKeyFeature } from '../control-plane/features/api-keys/feature.ts';
import { createAttentionFeature } from '../control-plane/features/attention/feature.ts';
import { createAuditFeature } from '../control-plane/features/audit/feature.ts';
import { listHistory } from '../control-plane/features/audit/history-store.ts';
import { createAuthFeature } from '../control-plane/features/auth/feature.ts';
import { hasConfirmedFactor, removeFactor } from '../control-plane/features/auth/mfa/second-factor-store.ts';
import { createPasswordPolicy } from '../control-plane/features/auth/passwords/password-policy.ts';
import { requireRecentLogin } from '../control-plane/features/auth/sessions/recent-login.ts';
import { endAccess, endSessions } from '../control-plane/features/auth/sessions/session-store.ts';
import { createBreakGlassFeature } from '../control-plane/features/break-glass/feature.ts';
import { createBreakGlassNotices } from '../control-plane/features/break-glass/notify-break-glass.ts';
import { createChangeStreamFeature } from '../control-plane/features/change-stream/feature.ts';
import { lastCodeReferences } from '../control-plane/features/code-references/code-reference-store.ts';
import { createCodeReferenceFeature } from '../control-plane/features/code-references/feature.ts';
import { addEnvironment } from '../control-plane/features/environments/add-environment.ts';
import { listEnvironments } from '../control-plane/features/environments/environment-store.ts';
import { createEnvironmentFeature } from '../control-plane/features/environments/feature.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import { createErasureFeature } from '../control-plane/features/erasures/feature.ts';
import type { EventStore } from '../control-plane/features/events/event-store.ts';
import { createEventFeature } from '../control-plane/features/events/feature.ts';
import type { StoredKeys } from '../control-plane/features/events/stored-keys.ts';
import { createExplainFeature } from '../control-plane/features/explain/feature.ts';
import { createFlagOverviewFeature } from '../control-plane/features/flag-overview/feature.ts';
import { countViews } from '../control-plane/features/flag-overview/view-counts.ts';
import { createFlagFeature } from '../control-plane/features/flags/feature.ts';
import type { FlagService } from '../control-plane/features/flags/flag-service.ts';
import {
  findFlag,
  listAllStates,
  listDependents,
  listDisabledKeys,
  listStates,
  listStatesIn,
} from '../control-plane/features/flags/flag-store.ts';
import { listSegmentUses, listSegmentWarnings } from '../control-plane/features/flags/segment-uses.ts';
import { createFreezeFeature } from '../control-plane/features/freeze-windows/feature.ts';
import { listLiveFreezeWindows } from '../control-plane/features/freeze-windows/freeze-store.ts';
import { createImportFeature } from '../control-plane/features/imports/feature.ts';
import { createInstanceFeature } from '../control-plane/features/instance/feature.ts';
import { createReadInstanceStatus } from '../control-plane/features/instance/instance-status.ts';
import { createLifecycleFeature } from '../control-plane/features/lifecycle/feature.ts';
import { listReservedKeys } from '../control-plane/features/lifecycle/lifecycle-store.ts';
import { createMemberFeature } from '../control-plane/features/members/feature.ts';
import { countWithoutFactor, listAdmins } from '../control-plane/features/members/member-store.ts';
import { createMetricsFeature } from '../control-plane/features/metrics/feature.ts';
import { createOrganizationFeature } from '../control-plane/features/organizations/feature.ts';
import { readOrganizationSettings } from '../control-plane/features/organizations/read-organization-settings.ts';
import { createPreferenceFeature } from '../control-plane/features/preferences/feature.ts';
import { createProjectFeature } from '../control-plane/features/projects/feature.ts';
import { requireProject } from '../control-plane/features/projects/require-project.ts';
import { createPromotionFeature } from '../control-plane/features/promotions/feature.ts';
import { readContexts } from '../control-plane/features/recorded-contexts/context-store.ts';
import { createRecordedContextFeature } from '../control-plane/features/recorded-contexts/feature.ts';
import { createRevisionFeature } from '../control-plane/features/revisions/feature.ts';
import { createScheduleNotices } from '../control-plane/features/scheduled-changes/failure-notices.ts';
import { createScheduledChangeFeature } from '../control-plane/features/scheduled-changes/feature.ts';
import { createSearchFeature } from '../control-plane/features/search/feature.ts';
import { createSegmentFeature } from '../control-plane/features/segments/feature.ts';
import { createServiceAccountFeature } from '../control-plane/features/service-accounts/feature.ts';
import { createTagFeature } from '../control-plane/features/tags/feature.ts';
import { createUserFeature } from '../control-plane/features/users/feature.ts';
import { createWebhookFeature } from '../control-plane/features/webhooks/feature.ts';
import { createDashboardLinks } from '../control-plane/mail/dashboard-links.ts';
import type { MailFeature } from '../control-plane/mail/feature.ts';
import { createOutboxNotices } from '../control-plane/mail/outbox-notices.ts';
import type { WriteGate } from '../control-plane/write-gate/change.ts';
import type { Publisher } from '../publishing/publish.ts';
import type { NewId } from '../storage/ids.ts';
import { createFindAuthor } from './find-author.ts';
import { projectLookups as lookups } from './project-lookups.ts';
import type { ServerSettings } from './server-deps.ts';

export interface WiringDeps {
  readonly settings: ServerSettings;
  readonly newId: NewId;
  readonly gate: WriteGate;
  readonly mail: MailFeature;
  readonly publisher: Publisher;
  readonly eventStore: EventStore;
  readonly eventKeys: StoredKeys;
  /** True while this process is the one that runs background jobs. */
  readonly isLeading: () => boolean;
}

/**
 * Creates every feature from the dependencies that it names, which include services of features created before it.
 * Routes are registered and jobs run in the order of the returned record.
 */
export function wireFeatures(deps: WiringDeps) {
  const { settings, newId, gate, mail, publisher, eventStore, eventKeys, isLeading } = deps;
  const { db, now, random, logger, apiSecretKey, registration } = settings;
  const mailer = mail.service;
  const links = createDashboardLinks(settings.dashboardUrl);
  const passwordPolicy = createPasswordPolicy({ isOn: settings.passwordBlocklist });

  const users = createUserFeature({ db, now });
  const organizations = createOrganizationFeature({
    db,
    gate,
    hasSecondFactor: hasConfirmedFactor,
    countWithoutFactor,
  });
  const recordLastUse = createRecordLastUse((err) => logger?.error({ err }, 'storing a last use failed'));
  const serviceAccounts = createServiceAccountFeature({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    recordLastUse,
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
    loginFailures: settings.sharedLimits?.failures,
    mailer,
    links,
    users: users.service,
    recordLastUse,
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
    links,
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
  const group = { db, gate, newId, now, onError };
  const { keyReservationDays } = settings;
  const flagFeatures = wireFlagFeatures({ ...group, events: eventStore, keyReservationDays });
  const flags = flagFeatures.flags.service;
  const governance = wireGovernanceFeatures({ ...group, flags });
  const metrics = createMetricsFeature({ events: eventStore, now, getFlag: flags.get });
  const explanations = createExplainFeature({
    now,
    async currentRuleset({ organizationId }, environmentId) {
      await requireEnvironment(db, organizationId, environmentId);
      return publisher.current({ kind: 'server', environmentId });
    },
  });
  const events = createEventFeature({ db, eventStore, eventKeys, now, requireEnvironment, onError });
  const erasures = createErasureFeature({ db, gate, newId, eventStore, eventKeys });
  const recordedContexts = createRecordedContextFeature({
    db,
    apiSecretKey,
    now,
    random,
    onError: (err) => logger?.error({ err }, 'contexts were not recorded'),
    requireEnvironment,
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
    notices: createOutboxNotices(mailer, [
      createBreakGlassNotices(listAdmins, links),
      createKeyExpiryNotices(listAdmins),
      createScheduleNotices(listAdmins),
    ]),
    requireProject,
    requireEnvironment,
    listAdmins,
  });

  return {
    instance: createInstanceFeature({
      version: settings.version,
      mode: settings.deploymentMode,
      registration,
      limits: settings.limiter.limits,
      hasUsers: users.service.createHasUsers(db),
      readStatus: createReadInstanceStatus({
        db,
        now,
        canSendMail: settings.sendMail !== undefined,
        metricsPort: settings.metricsPort ?? null,
      }),
    }),
    auth,
    serviceAccounts,
    preferences: createPreferenceFeature({ db, now }),
    organizations,
    members,
    apiKeys,
    users,
    changeStream: createChangeStreamFeature({ db, now, authenticate: auth.service.authenticate }),
    audit: createAuditFeature({ db, gate, now, organizationSettings: readOrganizationSettings }),
    ...flagFeatures,
    metrics,
    ...governance,
    webhooks,
    explanations,
    events,
    erasures,
    recordedContexts,
    mail,
  } satisfies Record<string, Feature<unknown>>;
}

/** The dependencies of both groups of features below. */
type GroupDeps = Pick<ServerSettings, 'db' | 'now'> &
  Pick<WiringDeps, 'gate' | 'newId'> & { readonly onError: (error: unknown) => void };

/** The features that manage projects and their content. */
function wireFlagFeatures({
  db,
  gate,
  newId,
  now,
  keyReservationDays,
  onError,
  events,
}: GroupDeps & { readonly keyReservationDays: number | undefined; readonly events: EventStore }) {
  const { requireEnvironment, requireProjectSettings, listEnvironmentIds, listSegments } = lookups;
  const projects = createProjectFeature({ db, gate, newId, now, addEnvironment, requireEnvironment });
  const environments = createEnvironmentFeature({ db, gate, newId, requireProject });
  const segments = createSegmentFeature({
    db,
    gate,
    newId,
    requireProject,
    listEnvironmentIds,
    listUses: listSegmentUses,
    listWarnings: listSegmentWarnings,
  });
  const flags = createFlagFeature({
    db,
    gate,
    newId,
    lookups,
    listHistory,
    recentContexts: (tx, environmentId) => readContexts(tx, environmentId, now()),
  });
  return {
    projects,
    environments,
    segments,
    flags,
    flagOverview: createFlagOverviewFeature({
      db,
      now,
      requireProject,
      requireEnvironment,
      listEnvironmentIds,
      events,
    }),
    promotions: createPromotionFeature({
      db,
      gate,
      newId,
      lookups,
      flagStore: { findFlag, listStatesIn, listDisabledKeys },
    }),
    revisions: createRevisionFeature({ db, gate, newId, lookups }),
    lifecycle: createLifecycleFeature({
      db,
      gate,
      now,
      lookups,
      listStates,
      listDependents,
      lastCodeReferences,
      listUnusedKeys,
      events,
      requireProject,
      requireRecentLogin,
      keyReservationDays,
    }),
    codeReferences: createCodeReferenceFeature({ db, gate, newId, requireProject, listStates }),
    search: createSearchFeature({ db, requireProject }),
    tags: createTagFeature({
      db,
      gate,
      lookups,
      requireProject,
      listStates,
      retagSegment: (actor, id, retag) =>
        segments.service.change(actor, id, ({ tags }) => ({ tags: retag(tags) })),
    }),
    imports: createImportFeature({
      db,
      gate,
      newId,
      now,
      lookups,
      requireProject,
      sources: {
        listEnvironments,
        listSegments,
        listAllStates,
        requireProjectSettings,
        listReservedKeys,
      },
      environments: environments.service,
      segments: segments.service,
      onError,
    }),
  } satisfies Record<string, Feature<unknown>>;
}

/** The features that restrict, delay or permit changes of flags. */
function wireGovernanceFeatures({
  db,
  gate,
  newId,
  now,
  onError,
  flags,
}: GroupDeps & { readonly flags: FlagService }) {
  const requireFlag = flags.listAcrossEnvironments;
  return {
    scheduledChanges: createScheduledChangeFeature({
      db,
      gate,
      newId,
      now,
      patchFlag: flags.patch,
      getFlag: flags.get,
      requireFlag,
      requireProject,
      requireEnvironment,
      findAuthor: createFindAuthor(db),
      onError,
    }),
    breakGlass: createBreakGlassFeature({
      db,
      gate,
      newId,
      now,
      requireProject,
      requireEnvironment,
      requireFlag,
      requireRecentLogin,
    }),
    freezeWindows: createFreezeFeature({ db, gate, newId, now, requireProject, requireEnvironment }),
    attention: createAttentionFeature({ db, now, requireProject, countViews, listLiveFreezeWindows }),
  } satisfies Record<string, Feature<unknown>>;
}

export type Features = ReturnType<typeof wireFeatures>;
