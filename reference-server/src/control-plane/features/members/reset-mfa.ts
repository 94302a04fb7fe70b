import { ApiError } from '../../../http/errors.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import { composeMail, type Mail, toOneLine } from '../../mail/mail.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import { type MemberAddress, requireMember, resourceOf } from './member-service.ts';

/**
 * Removes the second factor of a member who has lost it, ends all their sessions and sends them an email. Throws
 * MFA_RESET_OWN, MFA_NOT_ON and, without a recent login of the actor, REAUTHENTICATION_REQUIRED.
 */
export type ResetMfa = (actor: Actor, address: MemberAddress, options: ChangeOptions) => Promise<void>;

export interface ResetMfaDeps {
  readonly gate: WriteGate;
  readonly mailer: Mailer;
  readonly requireRecentLogin: (db: Queryable, actor: Actor, at: string) => Promise<void>;
  readonly removeFactor: (tx: Tx, userId: string) => Promise<void>;
  readonly endSessions: (tx: Tx, userId: string, at: string) => Promise<void>;
}

export function createResetMfa(deps: ResetMfaDeps): ResetMfa {
  const { gate, mailer, requireRecentLogin, removeFactor, endSessions } = deps;
  return async (actor, address, options) => {
    const { userId } = address;
    await gate.applyChange(
      actor,
      {
        action: 'member.mfa_reset',
        permission: 'member.write',
        async plan(tx, at) {
          const member = await requireMember(tx, actor, address);
          // Otherwise a stolen admin session could remove the admin's own second factor.
          if (userId === actor.id) throw new ApiError('MFA_RESET_OWN');
          await requireRecentLogin(tx, actor, at);
          if (member.has_factor === 0) throw new ApiError('MFA_NOT_ON');
          return {
            resource: resourceOf(member),
            before: { mfa_enabled: true },
            after: { mfa_enabled: false },
            revision: member.revision,
            async write() {
              await removeFactor(tx, userId);
              await endSessions(tx, userId, at);
              await mailer.put(tx, [resetMail(member.email, actor.email)]);
            },
          };
        },
      },
      options,
    );
    mailer.wake();
  };
}

function resetMail(to: string, by: string | null): Mail {
  return composeMail({
    to,
    subject: 'Your second factor was removed',
    paragraphs: [
      `${by === null ? 'An administrator' : toOneLine(by)} has removed the second factor of your account, and all your sessions have ended. Log in with your password and set up a new second factor. If you did not request this, tell your administrators at once.`,
    ],
  });
}
