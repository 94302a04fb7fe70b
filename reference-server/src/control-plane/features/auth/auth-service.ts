import { ApiError } from '../../../http/errors.ts';
import type { RegistrationMode } from '../../../lib/deployment-modes.ts';
import { hasChecksum } from '../../../publishing/key-format.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { UserTable } from '../../../storage/people-tables.ts';
import type { Actor, Origin, ServiceAccountKind } from '../../access/actor.ts';
import type { Role } from '../../access/roles.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { WriteGate } from '../../write-gate/change.ts';
import { userActor, VIEWER_RIGHTS } from '../users/current-rights.ts';
import type * as UserStore from '../users/user-store.ts';
import type { LoginBackoff } from './login-backoff.ts';
import { MFA_TOKEN_SECONDS, type SecondFactors } from './mfa/second-factors.ts';
import { hashPassword, verifyPassword } from './passwords/password-hash.ts';
import type { PasswordPolicy } from './passwords/password-policy.ts';
import type { AccessTokens } from './sessions/access-tokens.ts';
import { noteOfUser, type OpenSession, type TokenSet, tokenSet } from './sessions/open-session.ts';
import {
  findLiveSession,
  findLiveSessionByRefreshHash,
  findSessionByRefreshHash,
  touchSession,
} from './sessions/session-store.ts';
import { createUsedTokens } from './tokens/machine-tokens.ts';
import { createSecretHash } from './tokens/secret-tokens.ts';

/** `last_used_at` of a session is at most this much behind, and is written no more often. */
const TOUCH_INTERVAL_MS = 60_000;

/** A user record ("User"). */
export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly full_name: string;
  readonly role: Role;
  readonly created_at: string;
}

/** Who a bearer token speaks for, as `GET /auth/me` shows it. */
export interface MeRecord extends Omit<UserRecord, 'email'> {
  readonly kind: 'user' | ServiceAccountKind;
  /** Null for service accounts. */
  readonly email: string | null;
  readonly last_login_at: string | null;
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
}

export interface AuthService {
  /** The first user of a fresh installation becomes admin, in the transaction that counted none. */
  register(
    input: { email: string; password: string; full_name?: string | undefined },
    origin: Origin,
  ): Promise<UserRecord>;
  /** Throws MFA_REQUIRED, with a token for `mfa.verify`, when the user has a second factor. */
  login(input: { email: string; password: string }, origin: Origin): Promise<TokenSet>;
  /** The user who acts. */
  me(actor: Actor): Promise<MeRecord>;
  /** A token of a session that has ended is refused, and that is written down. */
  refresh(refreshToken: string, origin: Origin): Promise<TokenSet>;
  /**
   * The actor of a bearer token, with the role as the database has it now. `beforeQuery` is called before a token is
   * looked up that may be a guess; what it throws is thrown.
   */
  authenticate(accessToken: string, origin: Origin, beforeQuery?: () => void): Promise<Actor>;
}

/** The settings of an organization that concern who comes in, and for how long. */
export interface PeopleSettings {
  /** Null: as long as the refresh token lives. */
  readonly session_max_hours: number | null;
  /** Empty: any. */
  readonly allowed_email_domains: readonly string[];
  /** Null: `FLAGSVC_DEFAULT_ROLE`. */
  readonly default_member_role: Role | null;
}

export interface AuthDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly users: typeof UserStore;
  readonly tokens: AccessTokens;
  readonly now: () => number;
  readonly newId: NewId;
  readonly apiSecretKey: string;
  readonly backoff: LoginBackoff;
  readonly factors: SecondFactors;
  /** Writes down what no answer waits for. */
  readonly mailer: Mailer;
  readonly openSession: OpenSession;
  /** Who tokens for programs speak for, by the first four letters of the token. Each throws INVALID_TOKEN. */
  readonly programs: ReadonlyMap<string, (token: string, origin: Origin) => Promise<Actor>>;
  /** What an organization says of its people. */
  readonly peopleOf: (db: Queryable, organizationId: string) => Promise<PeopleSettings>;
  readonly registration: RegistrationMode;
  readonly passwordPolicy: PasswordPolicy;
  readonly defaultRole: Role;
}

export function createAuthService(deps: AuthDeps): AuthService {
  const { db, gate, users, tokens, factors, now, newId, backoff, mailer } = deps;
  const timestamp = (ms: number): string => new Date(ms).toISOString();
  const hashToken = createSecretHash(deps.apiSecretKey);
  const usedTokens = createUsedTokens();

  /** The user whose password it is. Throws INVALID_CREDENTIALS. */
  async function identify({ email, password }: { email: string; password: string }, origin: Origin) {
    const user = await users.findUserByEmail(db, email);
    const matches = await verifyPassword(user?.password_hash, password);
    // Asked of nobody too: the time of the answer does not tell which e-mails are known.
    const home = await users.findHome(db, user?.id ?? '');
    if (user === undefined || home === undefined || user.disabled_at !== null) {
      throw new ApiError('INVALID_CREDENTIALS');
    }
    const rights = { ...VIEWER_RIGHTS, role: home.role };
    const actor = userActor({ ...user, organizationId: home.id }, rights, origin);
    if (matches) return { user, actor };
    mailer.enqueue(async () => {
      await noteOfUser(gate, actor, 'auth.login_failed');
      return [];
    });
    throw new ApiError('INVALID_CREDENTIALS');
  }

  return {
    async register({ email, password, full_name }, origin) {
      const organizationId = await homeOrganization(db);
      await deps.passwordPolicy.require(password, { email, fullName: full_name });
      const password_hash = await hashPassword(password);
      const id = newId('usr');
      const actor = userActor({ id, email, organizationId }, VIEWER_RIGHTS, origin);
      return gate.applyChange(actor, {
        action: 'member.joined',
        permission: 'anyone',
        async plan(tx, at) {
          const isFirst = (await users.countUsers(tx)) === 0;
          if (!isFirst) requireOpen(deps.registration);
          if ((await users.findUserByEmail(tx, email)) !== undefined)
            throw new ApiError('EMAIL_ALREADY_EXISTS');
          const settings = await deps.peopleOf(tx, organizationId);
          if (!isFirst) requireAllowedDomain(email, settings);
          const role = isFirst ? 'admin' : (settings.default_member_role ?? deps.defaultRole);
          const user: UserTable = {
            id,
            email,
            email_folded: users.foldEmail(email),
            full_name: full_name ?? null,
            password_hash,
            created_at: at,
            last_login_at: null,
            disabled_at: null,
          };
          return {
            resource: { type: 'user', id, key: email },
            before: null,
            after: { email, full_name: full_name ?? '', role },
            write: async () => {
              await users.insertMember(tx, { user, organizationId, role });
              return toUserRecord(user, role);
            },
          };
        },
      });
    },

    async login(input, origin) {
      const account = users.foldEmail(input.email);
      const { user, actor } = await backoff.attempt(account, () => identify(input, origin));
      if (await factors.isOn(db, user.id)) {
        throw new ApiError('MFA_REQUIRED', {
          details: { mfa_token: factors.openChallenge(user), expires_in: MFA_TOKEN_SECONDS },
        });
      }
      // Checking the password takes a while, in which it may have been changed.
      return deps.openSession(actor, async (tx) => {
        if (!(await users.isStillGood(tx, actor.organizationId, user))) {
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
      const session = await findLiveSessionByRefreshHash(db, hash, timestamp(now()));
      if (session !== undefined) {
        const { id: sessionId, userId, organizationId, expiresAt } = session;
        return tokenSet(await tokens.issue({ userId, sessionId, organizationId }, expiresAt));
      }
      const ended = await findSessionByRefreshHash(db, hash);
      // Whoever has the token of a session that was ended may have stolen it.
      if (ended !== undefined && ended.revoked_at !== null) {
        const { user_id: id, organization_id: organizationId, email } = ended;
        const actor = userActor({ id, email, organizationId }, VIEWER_RIGHTS, origin);
        await noteOfUser(gate, actor, 'auth.refresh_refused');
      }
      throw new ApiError('INVALID_REFRESH_TOKEN');
    },

    async authenticate(accessToken, origin, beforeQuery) {
      const authenticateProgram = deps.programs.get(accessToken.slice(0, 4));
      if (authenticateProgram !== undefined) {
        if (!hasChecksum(accessToken)) throw new ApiError('INVALID_TOKEN');
        if (!usedTokens.has(accessToken)) beforeQuery?.();
        const actor = await authenticateProgram(accessToken, origin);
        usedTokens.add(accessToken);
        return actor;
      }
      const claims = await tokens.verify(accessToken);
      const at = timestamp(now());
      const session = await findLiveSession(db, claims.sessionId, at);
      if (session?.userId !== claims.userId || session.organizationId !== claims.organizationId) {
        throw new ApiError('INVALID_TOKEN');
      }
      const { id: sessionId, userId, email, organizationId, lastUsedAt, mustEnroll, rights } = session;
      if (now() - Date.parse(lastUsedAt ?? at) >= TOUCH_INTERVAL_MS) await touchSession(db, sessionId, at);
      const by = { sessionId, mustEnroll };
      return userActor({ id: userId, email, organizationId }, rights, origin, by);
    },
  };
}

/** Throws EMAIL_DOMAIN_NOT_ALLOWED unless the organization takes e-mails of this domain. */
export function requireAllowedDomain(
  email: string,
  { allowed_email_domains: allowed }: Pick<PeopleSettings, 'allowed_email_domains'>,
): void {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (allowed.length === 0 || allowed.includes(domain)) return;
  throw new ApiError('EMAIL_DOMAIN_NOT_ALLOWED', { details: { field: 'email', domain } });
}

/** The organization that people register into: in oss mode there is one. */
async function homeOrganization(db: Database): Promise<string> {
  const row = await db.selectFrom('organizations').select('id').orderBy('id').executeTakeFirstOrThrow();
  return row.id;
}

export function toUserRecord(user: UserTable, role: Role): UserRecord {
  const { id, email, full_name, created_at } = user;
  return { id, email, full_name: full_name ?? '', role, created_at };
}

/** Throws REGISTRATION_CLOSED unless everybody may register. */
function requireOpen(registration: AuthDeps['registration']): void {
  if (registration === 'open') return;
  if (registration === 'closed') throw new ApiError('REGISTRATION_CLOSED');
  const message = 'Registration is by invitation on this installation: ask an admin for one.';
  throw new ApiError('REGISTRATION_CLOSED', { message });
}
