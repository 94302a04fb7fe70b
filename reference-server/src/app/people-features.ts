import type { FastifyInstance } from 'fastify';
import type { BackgroundJob } from '../control-plane/background/job.ts';
import { apiKeyRoutes } from '../control-plane/features/api-keys/api-key-routes.ts';
import { createApiKeyService } from '../control-plane/features/api-keys/api-key-service.ts';
import { createExpiryNotices } from '../control-plane/features/api-keys/notify-expiring-keys.ts';
import { createAuditRetention } from '../control-plane/features/audit/audit-retention.ts';
import { authRoutes } from '../control-plane/features/auth/auth-routes.ts';
import { createAuthService } from '../control-plane/features/auth/auth-service.ts';
import { createLoginBackoff } from '../control-plane/features/auth/login-backoff.ts';
import { mfaRoutes } from '../control-plane/features/auth/mfa/mfa-routes.ts';
import { createMfaService } from '../control-plane/features/auth/mfa/mfa-service.ts';
import { removeFactor } from '../control-plane/features/auth/mfa/second-factor-store.ts';
import { createSecondFactors } from '../control-plane/features/auth/mfa/second-factors.ts';
import { createPasswordPolicy } from '../control-plane/features/auth/passwords/password-policy.ts';
import { passwordRoutes } from '../control-plane/features/auth/passwords/password-routes.ts';
import { createPasswordService } from '../control-plane/features/auth/passwords/password-service.ts';
import { createAccessTokens } from '../control-plane/features/auth/sessions/access-tokens.ts';
import { createOpenSession } from '../control-plane/features/auth/sessions/open-session.ts';
import { requireRecentLogin } from '../control-plane/features/auth/sessions/recent-login.ts';
import { sessionRoutes } from '../control-plane/features/auth/sessions/session-routes.ts';
import { createSessionService } from '../control-plane/features/auth/sessions/session-service.ts';
import { endAccess, endSessions } from '../control-plane/features/auth/sessions/session-store.ts';
import {
  createPersonalTokens,
  PERSONAL_TOKEN_PREFIX,
} from '../control-plane/features/auth/tokens/personal-token-service.ts';
import { requireEnvironment } from '../control-plane/features/environments/require-environment.ts';
import { createInvitationService } from '../control-plane/features/members/invitation-service.ts';
import { memberRoutes } from '../control-plane/features/members/member-routes.ts';
import { createMemberService } from '../control-plane/features/members/member-service.ts';
import { countWithoutFactor } from '../control-plane/features/members/member-store.ts';
import { createResetMfa } from '../control-plane/features/members/reset-mfa.ts';
import { organizationRoutes } from '../control-plane/features/organizations/organization-routes.ts';
import {
  createOrganizationService,
  settingsOf,
} from '../control-plane/features/organizations/organization-service.ts';
import { requireProject } from '../control-plane/features/projects/require-project.ts';
import { serviceAccountRoutes } from '../control-plane/features/service-accounts/service-account-routes.ts';
import { createServiceAccounts } from '../control-plane/features/service-accounts/service-account-service.ts';
import {
  createServiceTokens,
  SERVICE_TOKEN_PREFIX,
} from '../control-plane/features/service-accounts/service-token-service.ts';
import { prunePeople } from '../control-plane/features/users/purge-expired.ts';
import * as userStore from '../control-plane/features/users/user-store.ts';
import { createSealer } from '../lib/sealed-text.ts';
import type { WiringDeps } from './wire-features.ts';

/** Who people are, what they belong to, and the keys that they make. */
export function createPeopleFeatures(deps: WiringDeps) {
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
    hasSecondFactor: factors.isOn,
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
      { name: 'audit retention', schedule: 'nightly', run: createAuditRetention(shared) },
      { name: 'expired sessions', schedule: 'nightly', run: () => prunePeople(deps.db, deps.now()) },
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
