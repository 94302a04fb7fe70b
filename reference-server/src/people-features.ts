import type { FastifyInstance } from 'fastify';
import type { BackgroundJob } from './background.ts';
import { createExpiryNotices } from './features/api-keys/announce-expiring.ts';
import { apiKeyRoutes } from './features/api-keys/api-key-routes.ts';
import { createApiKeyService } from './features/api-keys/api-key-service.ts';
import { createAuditRetention } from './features/audit/audit-retention.ts';
import { createAccessTokens } from './features/auth/access-tokens.ts';
import { authRoutes } from './features/auth/auth-routes.ts';
import { createAuthService } from './features/auth/auth-service.ts';
import { createLoginBackoff } from './features/auth/login-backoff.ts';
import { mfaRoutes } from './features/auth/mfa-routes.ts';
import { createMfaService } from './features/auth/mfa-service.ts';
import { createOpenSession } from './features/auth/open-session.ts';
import { createPasswordPolicy } from './features/auth/password-policy.ts';
import { passwordRoutes } from './features/auth/password-routes.ts';
import { createPasswordService } from './features/auth/password-service.ts';
import { createPersonalTokens, PERSONAL_TOKEN_PREFIX } from './features/auth/personal-token-service.ts';
import { requireRecentLogin } from './features/auth/recent-login.ts';
import { removeFactor } from './features/auth/second-factor-store.ts';
import { createSecondFactors } from './features/auth/second-factors.ts';
import { sessionRoutes } from './features/auth/session-routes.ts';
import { createSessionService } from './features/auth/session-service.ts';
import { endAccess, endSessions } from './features/auth/session-store.ts';
import { requireEnvironment } from './features/environments/environment-service.ts';
import { nightlyJob } from './features/lifecycle/nightly.ts';
import { createInvitationService } from './features/members/invitation-service.ts';
import { memberRoutes } from './features/members/member-routes.ts';
import { createMemberService } from './features/members/member-service.ts';
import { countWithoutFactor } from './features/members/member-store.ts';
import { createResetMfa } from './features/members/reset-mfa.ts';
import { organizationRoutes } from './features/organizations/organization-routes.ts';
import { createOrganizationService, settingsOf } from './features/organizations/organization-service.ts';
import { requireProject } from './features/projects/project-service.ts';
import { serviceAccountRoutes } from './features/service-accounts/service-account-routes.ts';
import { createServiceAccounts } from './features/service-accounts/service-account-service.ts';
import {
  createServiceTokens,
  SERVICE_TOKEN_PREFIX,
} from './features/service-accounts/service-token-service.ts';
import { prunePeople } from './features/users/prune-people.ts';
import * as userStore from './features/users/user-store.ts';
import type { FeatureDeps } from './features.ts';
import { createSealer } from './http/sealed-text.ts';

/** Who people are, what they belong to, and the keys that they make. */
export function createPeopleFeatures(deps: FeatureDeps) {
  const shared = {
    ...deps,
    users: userStore,
    backoff: createLoginBackoff(deps.now, 'INVALID_CREDENTIALS'),
    peopleOf: settingsOf,
    passwordPolicy: createPasswordPolicy({ isOn: deps.passwordBlocklist === true }),
    requireProject,
    requireEnvironment,
  };
  const personalTokens = createPersonalTokens(shared);
  const serviceTokens = createServiceTokens(shared);
  const programs = new Map([
    [PERSONAL_TOKEN_PREFIX, personalTokens.authenticate],
    [SERVICE_TOKEN_PREFIX, serviceTokens.authenticate],
  ]);
  const tokens = createAccessTokens(deps.jwtSecretKey, deps.now);
  const sealer = createSealer(deps.apiSecretKey, 'second factors');
  const factors = createSecondFactors({ ...deps, sealer });
  const openSession = createOpenSession({ ...shared, tokens });
  const organizations = createOrganizationService({
    ...shared,
    hasFactor: factors.isOn,
    countWithoutFactor,
  });
  return {
    auth: createAuthService({ ...shared, tokens, programs, factors, openSession }),
    mfa: createMfaService({ ...shared, sealer, factors, openSession }),
    passwords: createPasswordService({ ...shared, factors }),
    sessions: createSessionService(shared),
    personalTokens,
    serviceAccounts: createServiceAccounts({ ...shared, getOrganization: organizations.get }),
    serviceTokens,
    organizations,
    members: createMemberService({ ...shared, endAccess }),
    resetMfa: createResetMfa({ ...shared, requireRecentLogin, removeFactor, endSessions }),
    invitations: createInvitationService(shared),
    apiKeys: createApiKeyService(shared),
    peopleJobs: [
      { name: 'expiring keys', run: createExpiryNotices(shared) },
      nightlyJob({ ...deps, name: 'audit retention', run: createAuditRetention(shared) }),
      nightlyJob({ ...deps, name: 'what ended long ago', run: () => prunePeople(deps.db, deps.now()) }),
    ] as readonly BackgroundJob[],
  };
}

export async function registerPeopleRoutes(
  app: FastifyInstance,
  features: ReturnType<typeof createPeopleFeatures>,
): Promise<void> {
  await app.register(authRoutes, features);
  await app.register(mfaRoutes, features);
  await app.register(passwordRoutes, features);
  await app.register(sessionRoutes, features);
  await app.register(serviceAccountRoutes, features);
  await app.register(organizationRoutes, features);
  await app.register(memberRoutes, features);
  await app.register(apiKeyRoutes, features);
}
