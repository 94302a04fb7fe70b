import { ApiError } from '../../../../http/errors.ts';
import { HOUR_MS } from '../../../../lib/durations.ts';
import type { Database, Tx } from '../../../../storage/database.ts';
import type { UserTable } from '../../../../storage/people-tables.ts';
import type { Actor, Origin } from '../../../access/actor.ts';
import type { DashboardLinks } from '../../../mail/dashboard-links.ts';
import { composeMail, type Mail } from '../../../mail/mail.ts';
import type { Mailer } from '../../../mail/mailer.ts';
import type { Change, WriteGate } from '../../../write-gate/change.ts';
import { userActor, VIEWER_RIGHTS } from '../../users/current-rights.ts';
import type * as UserStore from '../../users/user-store.ts';
import type { LoginBackoff } from '../login-backoff.ts';
import type { SecondFactors } from '../mfa/second-factors.ts';
import { userPlan } from '../sessions/open-session.ts';
import { RECENT_LOGIN_MS } from '../sessions/recent-login.ts';
import { endSessions, listSessions, markAuthenticated, revokeSessions } from '../sessions/session-store.ts';
import { countPersonalTokens, revokePersonalTokens } from '../tokens/personal-token-store.ts';
import { createSecretHash, newSecret } from '../tokens/secret-tokens.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';
import type { PasswordOwner, PasswordPolicy } from './password-policy.ts';
import { countResetRequests, findReset, putReset, setPassword } from './password-reset-store.ts';

const RESET_MS = HOUR_MS;
/** Emails with a link that one person gets in an hour, whatever the addresses of the clients that ask for them. */
const RESETS_PER_HOUR = 5;

export interface PasswordService {
  /**
   * Sets a new password, ends the actor's other sessions and, with `revoke_tokens`, their personal tokens. Throws
   * INVALID_CREDENTIALS, PASSWORD_TOO_COMMON.
   */
  change(
    actor: Actor,
    input: {
      readonly current_password: string;
      readonly new_password: string;
      readonly revoke_tokens?: boolean | undefined;
    },
  ): Promise<void>;
  /**
   * Returns at once; false when this installation cannot send email. Otherwise sends an email if the address is
   * registered.
   */
  forgot(email: string, origin: Origin): boolean;
  /**
   * Sets a new password with a token from an email, which works once. Ends all sessions and, unless `revoke_tokens` is
   * false, all personal tokens. Throws INVALID_RESET_TOKEN, PASSWORD_TOO_COMMON.
   */
  reset(
    input: {
      readonly token: string;
      readonly password: string;
      readonly revoke_tokens?: boolean | undefined;
    },
    origin: Origin,
  ): Promise<void>;
  /** Marks the session as recently logged in. Throws INVALID_CREDENTIALS, MFA_REQUIRED, INVALID_MFA_CODE. */
  reauthenticate(
    actor: Actor,
    input: { readonly password: string; readonly code?: string | undefined },
  ): Promise<{ readonly authenticated_at: string; readonly valid_until: string }>;
}

export interface PasswordServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly users: typeof UserStore;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly backoff: LoginBackoff;
  readonly factors: SecondFactors;
  readonly passwordPolicy: PasswordPolicy;
  readonly mailer: Mailer;
  readonly links: DashboardLinks;
}

export function createPasswordService(deps: PasswordServiceDeps): PasswordService {
  const { db, gate, users, now, backoff, factors, mailer, passwordPolicy } = deps;
  const hashToken = createSecretHash(deps.apiSecretKey);

  /** Returns the acting user. Throws INVALID_CREDENTIALS when the password is wrong. */
  async function requirePassword(actor: Actor, password: string): Promise<UserTable> {
    const account = users.foldEmail(actor.email ?? '');
    return backoff.attempt(account, async () => {
      const user = await users.findUserByEmail(db, account);
      if (user !== undefined && (await verifyPassword(user.password_hash, password))) return user;
      throw new ApiError('INVALID_CREDENTIALS', { message: 'The password is wrong.' });
    });
  }

  async function startReset(email: string, origin: Origin): Promise<readonly Mail[]> {
    const user = await users.findUserByEmail(db, email);
    const home = user && (await users.findHome(db, user.id));
    if (user === undefined || home === undefined || user.disabled_at !== null) return [];
    const since = now() - HOUR_MS;
    if (
      (await countResetRequests(db, { organizationId: home.id, userId: user.id, since })) >= RESETS_PER_HOUR
    )
      return [];
    const token = newSecret('rst_');
    const actor = userActor({ user: { ...user, organizationId: home.id }, rights: VIEWER_RIGHTS, origin });
    const mail = resetMail(user.email, deps.links.resetPassword(token));
    await gate.applyChange(actor, {
      action: 'auth.password_reset_requested',
      permission: 'anyone',
      plan: async (tx, at) => ({
        ...userPlan(user.id, user.email),
        async write() {
          const expires_at = new Date(now() + RESET_MS).toISOString();
          await putReset(tx, { user_id: user.id, token_hash: hashToken(token), created_at: at, expires_at });
          await mailer.put(tx, [mail]);
        },
      }),
    });
    mailer.wake();
    return [];
  }

  return {
    async change(actor, { current_password, new_password, revoke_tokens = false }) {
      const user = await requirePassword(actor, current_password);
      await passwordPolicy.require(new_password, ownerOf(user), 'new_password');
      const password_hash = await hashPassword(new_password);
      await gate.applyChange(actor, {
        action: 'auth.password_changed',
        permission: 'session.own',
        async plan(tx, at) {
          if (!(await users.canStillLogIn(tx, actor.organizationId, user))) {
            throw new ApiError('INVALID_CREDENTIALS', { message: 'The password is wrong.' });
          }
          return {
            ...(await passwordPlan(tx, user, { at, revoke_tokens })),
            async write() {
              await setPassword(tx, user.id, password_hash);
              if (revoke_tokens) await revokePersonalTokens(tx, user.id, at);
              const others = (await listSessions(tx, user.id, at)).filter(({ id }) => id !== actor.sessionId);
              await revokeSessions(
                tx,
                others.map(({ id }) => id),
                at,
              );
              await mailer.put(tx, [changedMail(user.email)]);
            },
          };
        },
      });
      mailer.wake();
    },

    forgot(email, origin) {
      mailer.enqueue(() => startReset(email, origin));
      return mailer.canSend;
    },

    async reset({ token, password, revoke_tokens = true }, origin) {
      const at = new Date(now()).toISOString();
      const tokenHash = hashToken(token);
      const found = await findReset(db, tokenHash, at);
      const home = found && (await users.findHome(db, found.id));
      if (found === undefined || home === undefined) throw new ApiError('INVALID_RESET_TOKEN');
      await passwordPolicy.require(password, ownerOf(found));
      const password_hash = await hashPassword(password);
      const user = { ...found, organizationId: home.id };
      await gate.applyChange(userActor({ user, rights: VIEWER_RIGHTS, origin }), {
        action: 'auth.password_reset',
        permission: 'anyone',
        async plan(tx, plannedAt) {
          // Two requests with the same token may race; this check refuses the second.
          if ((await findReset(tx, tokenHash, plannedAt)) === undefined)
            throw new ApiError('INVALID_RESET_TOKEN');
          return {
            ...(await passwordPlan(tx, found, { at: plannedAt, revoke_tokens })),
            async write() {
              await setPassword(tx, found.id, password_hash);
              await endSessions(tx, found.id, plannedAt);
              if (revoke_tokens) await revokePersonalTokens(tx, found.id, plannedAt);
              await mailer.put(tx, [changedMail(found.email)]);
            },
          };
        },
      });
      mailer.wake();
      await backoff.reset(users.foldEmail(found.email));
    },

    async reauthenticate(actor, { password, code }) {
      const user = await requirePassword(actor, password);
      const isOn = await factors.isOn(db, user.id);
      if (isOn && code === undefined) throw new ApiError('MFA_REQUIRED', { details: { field: 'code' } });
      const change: Change<{ authenticated_at: string; valid_until: string }> = {
        action: 'auth.reauthenticated',
        permission: 'session.own',
        plan: async (tx, at) => ({
          ...userPlan(user.id, user.email),
          async write() {
            if (isOn) await factors.useCode(tx, { userId: user.id, code: code ?? '' });
            await markAuthenticated(tx, actor.sessionId ?? '', at);
            const validUntil = new Date(Date.parse(at) + RECENT_LOGIN_MS).toISOString();
            return { authenticated_at: at, valid_until: validUntil };
          },
        }),
      };
      return isOn
        ? factors.withBackoff(user.id, () => gate.applyChange(actor, change))
        : gate.applyChange(actor, change);
    },
  };
}

function ownerOf({ email, full_name }: Pick<UserTable, 'email' | 'full_name'>): PasswordOwner {
  return { email, fullName: full_name };
}

/** The audit entry contains the number of revoked tokens. */
async function passwordPlan(
  tx: Tx,
  user: Pick<UserTable, 'id' | 'email'>,
  { at, revoke_tokens }: { readonly at: string; readonly revoke_tokens: boolean },
) {
  const plan = userPlan(user.id, user.email);
  const revoked_tokens = revoke_tokens ? await countPersonalTokens(tx, user.id, at) : 0;
  return revoked_tokens === 0 ? plan : { ...plan, after: { revoked_tokens } };
}

function resetMail(to: string, url: string): Mail {
  return composeMail({
    to,
    subject: 'Set a new password',
    paragraphs: [
      'Someone requested a new password for this address. If it was you, open this link within an hour:',
      'A new password ends all your sessions and, unless you choose to keep them, your personal tokens. If it was not you, ignore this email: nothing has changed.',
    ],
    link: { url, label: 'Set a new password', after: 1 },
    lifetimeMs: RESET_MS,
  });
}

function changedMail(to: string): Mail {
  return composeMail({
    to,
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your flagsvc account was changed.',
      'If you did not change it, request a new password at once and tell your administrators.',
    ],
  });
}
