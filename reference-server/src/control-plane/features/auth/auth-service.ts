import { ApiError } from '../../../http/errors.ts';
import type { RegistrationMode } from '../../../lib/deployment-modes.ts';
import type { Database } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { UserTable } from '../../../storage/people-tables.ts';
import type { Actor, Origin, ServiceAccountKind } from '../../access/actor.ts';
import type { Role } from '../../access/roles.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Change, WriteGate } from '../../write-gate/change.ts';
import { requireAllowedDomain } from '../organizations/organization-settings.ts';
import type { ReadOrganizationSettings } from '../organizations/read-organization-settings.ts';
import { userActor, VIEWER_RIGHTS } from '../users/current-rights.ts';
import { toUserRecord, type UserRecord } from '../users/user-record.ts';
import type * as UserStore from '../users/user-store.ts';
import type { LoginBackoff } from './login-backoff.ts';
import { MFA_TOKEN_SECONDS, type SecondFactors } from './mfa/second-factors.ts';
import { hashPassword, verifyPassword } from './passwords/password-hash.ts';
import type { PasswordPolicy } from './passwords/password-policy.ts';
import type { AccessTokens } from './sessions/access-tokens.ts';
import { type OpenSession, recordAttempt, type TokenSet, tokenSet } from './sessions/open-session.ts';
import { findLiveSessionByRefreshHash, findSessionByRefreshHash } from './sessions/session-store.ts';
import { createSecretHash } from './tokens/secret-tokens.ts';

/** The owner of a bearer token, as `GET /auth/me` returns it. */
export interface MeRecord extends Omit<UserRecord, 'email'> {
  readonly kind: 'user' | ServiceAccountKind;
  /** Null for service accounts. */
  readonly email: string | null;
  readonly last_login_at: string | null;
  readonly organizations: readonly UserStore.Membership[];
}

export interface Registration {
  readonly email: string;
  readonly password: string;
  readonly full_name?: string | undefined;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Registration and login ("Authentication"). */
export interface AuthService {
  /** The first user of an installation becomes admin. */
  register(input: Registration, origin: Origin): Promise<UserRecord>;
  /** Throws INVALID_CREDENTIALS, and MFA_REQUIRED with a token for `POST /auth/mfa/verify`. */
  login(input: Credentials, origin: Origin): Promise<TokenSet>;
  /** The acting user. */
  me(actor: Actor): Promise<MeRecord>;
  /** Throws INVALID_REFRESH_TOKEN. If the token belongs to a revoked session, also writes an audit entry. */
  refresh(refreshToken: string, origin: Origin): Promise<TokenSet>;
}

export interface AuthServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly registration: RegistrationMode;
  readonly defaultRole: Role;
  readonly users: typeof UserStore;
  readonly mailer: Mailer;
  readonly passwordPolicy: PasswordPolicy;
  readonly readOrganizationSettings: ReadOrganizationSettings;
  readonly backoff: LoginBackoff;
  readonly factors: SecondFactors;
  readonly accessTokens: AccessTokens;
  readonly openSession: OpenSession;
}

export function createAuthService(deps: AuthServiceDeps): AuthService {
  const { db, gate, users, factors, now, newId, backoff, mailer } = deps;
  const hashToken = createSecretHash(deps.apiSecretKey);

  /** Finds the user by email and password. Throws INVALID_CREDENTIALS. */
  async function identify({ email, password }: Credentials, origin: Origin) {
    const user = await users.findUserByEmail(db, email);
    const matches = await verifyPassword(user?.password_hash, password);
    // Queried for unknown emails too, so that the response time does not reveal which emails exist.
    const home = await users.findHome(db, user?.id ?? '');
    if (user === undefined || home === undefined || user.disabled_at !== null) {
      throw new ApiError('INVALID_CREDENTIALS');
    }
    const rights = { ...VIEWER_RIGHTS, role: home.role };
    const actor = userActor({ user: { ...user, organizationId: home.id }, rights, origin });
    if (matches) return { user, actor };
    mailer.enqueue(async () => {
      await recordAttempt(gate, actor, 'auth.login_failed');
      return [];
    });
    throw new ApiError('INVALID_CREDENTIALS');
  }

  return {
    async register(input, origin) {
      const { email, password, full_name: fullName } = input;
      const organizationId = await findFirstOrganizationId(db);
      await deps.passwordPolicy.require(password, { email, fullName });
      const passwordHash = await hashPassword(password);
      const user = { id: newId('usr'), email, organizationId };
      const actor = userActor({ user, rights: VIEWER_RIGHTS, origin });
      return gate.applyChange(actor, registrationOf(deps, { ...user, fullName, passwordHash }));
    },

    async login(input, origin) {
      const account = users.foldEmail(input.email);
      const { user, actor } = await backoff.attempt(account, () => identify(input, origin));
      if (await factors.isOn(db, user.id)) {
        throw new ApiError('MFA_REQUIRED', {
          details: { mfa_token: factors.openChallenge(user), expires_in: MFA_TOKEN_SECONDS },
        });
      }
      // The password may have been changed while it was verified.
      return deps.openSession(actor, async (tx) => {
        if (!(await users.canStillLogIn(tx, actor.organizationId, user))) {
          throw new ApiError('INVALID_CREDENTIALS');
        }
      });
    },

    async me(actor) {
      const user = await db
        .selectFrom('users')
        .selectAll()
        .where('id', '=', actor.id)
        .executeTakeFirstOrThrow();
      return {
        ...toUserRecord(user, actor.role),
        kind: 'user',
        last_login_at: user.last_login_at,
        organizations: await users.listMemberships(db, user.id),
      };
    },

    async refresh(refreshToken, origin) {
      const hash = hashToken(refreshToken);
      const session = await findLiveSessionByRefreshHash(db, hash, new Date(now()).toISOString());
      if (session !== undefined) {
        const { id: sessionId, userId, organizationId, expiresAt } = session;
        return tokenSet(await deps.accessTokens.issue({ userId, sessionId, organizationId }, expiresAt));
      }
      const ended = await findSessionByRefreshHash(db, hash);
      // A refresh token that is used after its session was revoked may be stolen.
      if (ended !== undefined && ended.revoked_at !== null) {
        const user = { id: ended.user_id, organizationId: ended.organization_id, email: ended.email };
        const actor = userActor({ user, rights: VIEWER_RIGHTS, origin });
        await recordAttempt(gate, actor, 'auth.refresh_refused');
      }
      throw new ApiError('INVALID_REFRESH_TOKEN');
    },
  };
}

function registrationOf(
  deps: AuthServiceDeps,
  of: {
    readonly id: string;
    readonly email: string;
    readonly organizationId: string;
    readonly fullName: string | undefined;
    readonly passwordHash: string;
  },
): Change<UserRecord> {
  const { users, registration, defaultRole, readOrganizationSettings } = deps;
  const { id, email, organizationId, fullName, passwordHash } = of;
  return {
    action: 'member.joined',
    permission: 'anyone',
    async plan(tx, at) {
      const isFirst = (await users.countUsers(tx)) === 0;
      if (!isFirst) requireOpen(registration);
      if ((await users.findUserByEmail(tx, email)) !== undefined) throw new ApiError('EMAIL_ALREADY_EXISTS');
      const settings = await readOrganizationSettings(tx, organizationId);
      if (!isFirst) requireAllowedDomain(email, settings);
      const role = isFirst ? 'admin' : (settings.default_member_role ?? defaultRole);
      const user: UserTable = {
        id,
        email,
        email_folded: users.foldEmail(email),
        full_name: fullName ?? null,
        password_hash: passwordHash,
        created_at: at,
        last_login_at: null,
        disabled_at: null,
      };
      return {
        resource: { type: 'user', id, key: email },
        before: null,
        after: { email, full_name: fullName ?? '', role },
        async write() {
          await users.insertMember(tx, { user, organizationId, role });
          return toUserRecord(user, role);
        },
      };
    },
  };
}

/** The organization that users join when they register. In `oss` mode there is only one. */
async function findFirstOrganizationId(db: Database): Promise<string> {
  const row = await db.selectFrom('organizations').select('id').orderBy('id').executeTakeFirstOrThrow();
  return row.id;
}

/** Throws REGISTRATION_CLOSED unless anyone may register. */
function requireOpen(registration: RegistrationMode): void {
  if (registration === 'open') return;
  if (registration === 'closed') throw new ApiError('REGISTRATION_CLOSED');
  const message = 'This installation accepts registrations by invitation only. Ask an admin for one.';
  throw new ApiError('REGISTRATION_CLOSED', { message });
}
