import { ApiError } from '../../../../http/errors.ts';
import type { Sealer } from '../../../../lib/sealed-text.ts';
import type { Database, Tx } from '../../../../storage/database.ts';
import type { Actor, Origin } from '../../../access/actor.ts';
import { composeMail, type Mail } from '../../../mail/mail.ts';
import type { Mailer } from '../../../mail/mailer.ts';
import type { AuditAction } from '../../../write-gate/audit-actions.ts';
import type { WriteGate } from '../../../write-gate/change.ts';
import type { ReadOrganizationSettings } from '../../organizations/read-organization-settings.ts';
import { userActor, VIEWER_RIGHTS } from '../../users/current-rights.ts';
import type * as UserStore from '../../users/user-store.ts';
import { type OpenSession, recordAttempt, type TokenSet, userPlan } from '../sessions/open-session.ts';
import { requireRecentLogin } from '../sessions/recent-login.ts';
import {
  confirmFactor,
  countRecoveryCodes,
  findFactor,
  putFactor,
  putRecoveryCodes,
  removeFactor,
} from './second-factor-store.ts';
import type { SecondFactors } from './second-factors.ts';
import { newTotpSecret, totpUrl } from './totp.ts';

/** The actor's second factor. */
export interface MfaStatus {
  readonly totp: 'off' | 'pending' | 'on';
  readonly confirmed_at: string | null;
  readonly recovery_codes_left: number;
  /** Whether the organization requires a second factor. */
  readonly required: boolean;
}

export interface MfaService {
  status(actor: Actor): Promise<MfaStatus>;
  /** Creates a secret, which has no effect until `confirm`. Throws MFA_ALREADY_ON. */
  start(actor: Actor): Promise<{ readonly secret: string; readonly otpauth_url: string }>;
  /** Makes logins require a code; returns the recovery codes. Throws INVALID_MFA_CODE, MFA_NOT_STARTED, MFA_ALREADY_ON. */
  confirm(actor: Actor, code: string): Promise<{ readonly recovery_codes: readonly string[] }>;
  /** Replaces all recovery codes by ten new ones. Throws MFA_NOT_ON. */
  renewRecoveryCodes(actor: Actor): Promise<{ readonly recovery_codes: readonly string[] }>;
  /** Removes the factor, confirmed or pending. Throws MFA_NOT_ON. */
  remove(actor: Actor): Promise<void>;
  /** Completes a login that got MFA_REQUIRED. Throws INVALID_MFA_TOKEN, INVALID_MFA_CODE. */
  verify(input: { readonly mfa_token: string; readonly code: string }, origin: Origin): Promise<TokenSet>;
}

export interface MfaServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly users: typeof UserStore;
  readonly sealer: Sealer;
  readonly factors: SecondFactors;
  readonly mailer: Mailer;
  readonly openSession: OpenSession;
  readonly readOrganizationSettings: ReadOrganizationSettings;
}

export function createMfaService(deps: MfaServiceDeps): MfaService {
  const { db, gate, users, sealer, factors, mailer } = deps;

  /** Changes the actor's second factor. Throws REAUTHENTICATION_REQUIRED unless the password was given recently. */
  function change<T>(
    actor: Actor,
    action: AuditAction,
    prepare: (tx: Tx, userId: string, at: string) => Promise<() => Promise<T>>,
  ): Promise<T> {
    const userId = actor.id ?? '';
    return gate.applyChange(actor, {
      action,
      permission: 'session.own',
      async plan(tx, at) {
        await requireRecentLogin(tx, actor, at);
        return { ...userPlan(userId, actor.email), write: await prepare(tx, userId, at) };
      },
    });
  }

  async function writeRecoveryCodes(tx: Tx, userId: string) {
    const codes = factors.newRecoveryCodes();
    const hashes = codes.map((one) => one.hash);
    await putRecoveryCodes(tx, userId, hashes);
    return { recovery_codes: codes.map((one) => one.code) };
  }

  return {
    async status({ id, organizationId }) {
      const factor = await findFactor(db, id ?? '');
      return {
        totp: factor === undefined ? 'off' : factor.confirmed_at === null ? 'pending' : 'on',
        confirmed_at: factor?.confirmed_at ?? null,
        recovery_codes_left: await countRecoveryCodes(db, id ?? ''),
        required: (await deps.readOrganizationSettings(db, organizationId)).require_mfa,
      };
    },

    start: (actor) =>
      change(actor, 'auth.mfa_started', async (tx, user_id, at) => {
        if (await factors.isOn(tx, user_id)) throw new ApiError('MFA_ALREADY_ON');
        const secret = newTotpSecret();
        return async () => {
          const secret_sealed = sealer.seal(secret);
          await putFactor(tx, { user_id, secret_sealed, created_at: at, confirmed_at: null, last_step: 0 });
          return { secret, otpauth_url: totpUrl(secret, actor.email ?? '') };
        };
      }),

    confirm: (actor, code) =>
      factors.withBackoff(actor.id ?? '', () =>
        change(actor, 'auth.mfa_enabled', async (tx, userId, at) => {
          const pending = await findFactor(tx, userId);
          if (pending === undefined) throw new ApiError('MFA_NOT_STARTED');
          if (pending.confirmed_at !== null) throw new ApiError('MFA_ALREADY_ON');
          return async () => {
            await factors.useCode(tx, { userId, code, isPending: true });
            await confirmFactor(tx, userId, at);
            return writeRecoveryCodes(tx, userId);
          };
        }),
      ),

    renewRecoveryCodes: (actor) =>
      change(actor, 'auth.recovery_codes_renewed', async (tx, userId) => {
        if (!(await factors.isOn(tx, userId))) throw new ApiError('MFA_NOT_ON');
        return () => writeRecoveryCodes(tx, userId);
      }),

    remove: async (actor) => {
      await change(actor, 'auth.mfa_disabled', async (tx, userId) => {
        const factor = await findFactor(tx, userId);
        if (factor === undefined) throw new ApiError('MFA_NOT_ON');
        const { email } = actor;
        // A factor that was never confirmed has protected nothing.
        const mails = factor.confirmed_at === null || email === null ? [] : [removedMail(email)];
        return async () => {
          await removeFactor(tx, userId);
          await mailer.put(tx, mails);
        };
      });
      mailer.wake();
    },

    async verify({ mfa_token, code }, origin) {
      const challenge = factors.readChallenge(mfa_token);
      const user = challenge && (await users.findUserById(db, challenge.userId));
      const home = user && (await users.findHome(db, user.id));
      const isValid = user?.disabled_at === null && challenge?.isOf(user) === true;
      if (!isValid || home === undefined) throw new ApiError('INVALID_MFA_TOKEN');
      const rights = { ...VIEWER_RIGHTS, role: home.role };
      const actor = userActor({ user: { ...user, organizationId: home.id }, rights, origin });
      try {
        const verify = async (tx: Tx) => {
          if (!(await users.canStillLogIn(tx, home.id, user))) throw new ApiError('INVALID_MFA_TOKEN');
          await factors.useCode(tx, { userId: user.id, code });
        };
        return await factors.withBackoff(user.id, () => deps.openSession(actor, verify));
      } catch (error) {
        if (error instanceof ApiError && error.code === 'INVALID_MFA_CODE') {
          await recordAttempt(gate, actor, 'auth.login_failed');
        }
        throw error;
      }
    },
  };
}

function removedMail(to: string): Mail {
  return composeMail({
    to,
    subject: 'Your second factor was turned off',
    paragraphs: [
      'The second factor of your flagsvc account was turned off. A password is now enough to log in.',
      'If you did not do this, change your password at once and tell your administrators.',
    ],
  });
}
