import type { RegistrationMode } from '../../../lib/deployment-modes.ts';
import { createSealer } from '../../../lib/sealed-text.ts';
import type { Database } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { RecordLastUse } from '../../access/last-uses.ts';
import type { Role } from '../../access/roles.ts';
import type { Feature } from '../../feature.ts';
import type { DashboardLinks } from '../../mail/dashboard-links.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import type { ReadOrganizationSettings } from '../organizations/read-organization-settings.ts';
import type * as UserStore from '../users/user-store.ts';
import { authRoutes, type ServiceAccountReader } from './auth-routes.ts';
import { createAuthService } from './auth-service.ts';
import { type AuthenticateBearer, createAuthenticateBearer } from './authenticate-bearer.ts';
import { createLoginBackoff } from './login-backoff.ts';
import { createMemoryLoginFailures, type LoginFailures } from './login-failures.ts';
import { mfaRoutes } from './mfa/mfa-routes.ts';
import { createMfaService } from './mfa/mfa-service.ts';
import { createSecondFactors } from './mfa/second-factors.ts';
import type { PasswordPolicy } from './passwords/password-policy.ts';
import { passwordRoutes } from './passwords/password-routes.ts';
import { createPasswordService } from './passwords/password-service.ts';
import { createProfileService, profileRoutes } from './profile.ts';
import { createAccessTokens } from './sessions/access-tokens.ts';
import { createOpenSession } from './sessions/open-session.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { createSessionService } from './sessions/session-service.ts';
import type { AuthenticateMachineToken } from './tokens/machine-tokens.ts';
import { personalTokenRoutes } from './tokens/personal-token-routes.ts';
import { createPersonalTokens, PERSONAL_TOKEN_PREFIX } from './tokens/personal-token-service.ts';

export interface AuthFeatureDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** At least 32 characters; signs access tokens. */
  readonly jwtSecretKey: string;
  /** At least 32 characters; hashes tokens and encrypts second factors. */
  readonly apiSecretKey: string;
  readonly registration: RegistrationMode;
  /** Role of users who register in an organization without a default role. */
  readonly defaultRole: Role;
  readonly passwordPolicy: PasswordPolicy;
  /** Default: in memory. */
  readonly loginFailures?: LoginFailures | undefined;
  readonly mailer: Mailer;
  /** Base address of links in emails, without a slash at its end. */
  readonly links: DashboardLinks;
  readonly users: typeof UserStore;
  readonly recordLastUse: RecordLastUse;
  readonly readOrganizationSettings: ReadOrganizationSettings;
  readonly serviceAccounts: ServiceAccountReader;
  /** Functions that authenticate tokens of service accounts, by the first four characters of the token. */
  readonly serviceTokens: ReadonlyMap<string, AuthenticateMachineToken>;
}

/** The part of this feature that the rest of the server uses. */
export interface Authentication {
  readonly authenticate: AuthenticateBearer;
}

/** Registration, login, sessions, passwords, second factors and personal tokens. */
export function createAuthFeature(deps: AuthFeatureDeps): Feature<Authentication> {
  const { db, gate, newId, now, apiSecretKey, users, mailer, passwordPolicy, readOrganizationSettings } =
    deps;
  const { registration, defaultRole, links, serviceAccounts, recordLastUse } = deps;
  const failures = deps.loginFailures ?? createMemoryLoginFailures(now);
  const backoff = createLoginBackoff({ now, failures, wrongGuess: 'INVALID_CREDENTIALS' });
  const accessTokens = createAccessTokens(deps.jwtSecretKey, now);
  const sealer = createSealer(apiSecretKey, 'second factors');
  const factors = createSecondFactors({ now, failures, apiSecretKey, sealer });
  const openSession = createOpenSession({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    users,
    accessTokens,
    readOrganizationSettings,
  });
  const auth = createAuthService({
    db,
    gate,
    newId,
    now,
    apiSecretKey,
    registration,
    defaultRole,
    users,
    mailer,
    passwordPolicy,
    readOrganizationSettings,
    backoff,
    factors,
    accessTokens,
    openSession,
  });
  const mfa = createMfaService({
    db,
    gate,
    users,
    sealer,
    factors,
    mailer,
    openSession,
    readOrganizationSettings,
  });
  const passwords = createPasswordService({
    db,
    gate,
    now,
    apiSecretKey,
    users,
    mailer,
    links,
    passwordPolicy,
    backoff,
    factors,
  });
  const sessions = createSessionService({ db, gate, now });
  const personalTokens = createPersonalTokens({ db, gate, newId, now, apiSecretKey, recordLastUse });
  const machineTokens = new Map(deps.serviceTokens).set(PERSONAL_TOKEN_PREFIX, personalTokens.authenticate);
  return {
    service: {
      authenticate: createAuthenticateBearer({ db, now, accessTokens, machineTokens, recordLastUse }),
    },
    async routes(app) {
      await app.register(authRoutes, { auth, sessions, serviceAccounts });
      await app.register(mfaRoutes, { mfa });
      await app.register(passwordRoutes, { passwords });
      await app.register(sessionRoutes, { sessions });
      await app.register(profileRoutes, { profiles: createProfileService({ gate, users }) });
      await app.register(personalTokenRoutes, { personalTokens });
    },
  };
}
