import { randomInt } from 'node:crypto';
import { HOUR_MS } from '../../../../lib/durations.ts';
import { editDistance } from '../../../../lib/edit-distance.ts';
import type { Database } from '../../../../storage/database.ts';
import type { UserTable } from '../../../../storage/people-tables.ts';
import { type Actor, systemActor } from '../../../access/actor.ts';
import type { WriteGate } from '../../../write-gate/change.ts';
import type * as UserStore from '../../users/user-store.ts';
import { hasConfirmedFactor, removeFactor } from '../mfa/second-factor-store.ts';
import { userPlan } from '../sessions/open-session.ts';
import { endSessions } from '../sessions/session-store.ts';
import { countPersonalTokens, revokePersonalTokens } from '../tokens/personal-token-store.ts';
import { createSecretHash, newSecret } from '../tokens/secret-tokens.ts';
import { hashPassword } from './password-hash.ts';
import { putReset, setPassword } from './password-reset-store.ts';

/** What the operator chooses. */
export interface OperatorResetChoice {
  readonly email: string;
  /** True issues a reset token instead of a password; nothing else changes until it is used. */
  readonly wantsToken: boolean;
  readonly keepsTokens: boolean;
  readonly removesMfa: boolean;
}

/** What the operator passes on to the user, and what has ended. */
export interface OperatorResetResult {
  readonly email: string;
  readonly secret:
    | { readonly kind: 'password'; readonly password: string }
    | { readonly kind: 'token'; readonly token: string };
  readonly revokedTokens: number;
  readonly removedMfa: boolean;
  /** True when the user still needs a second factor to log in. */
  readonly needsMfa: boolean;
}

/** The user cannot be reset. The message says why, and what to do. */
export class ResetRefused extends Error {
  override readonly name = 'ResetRefused';
}

export interface OperatorResetDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly users: typeof UserStore;
  readonly now: () => number;
  readonly apiSecretKey: string;
}

/** Resets a user's password on behalf of the operator, who needs no login. Throws ResetRefused. */
export async function resetAsOperator(
  deps: OperatorResetDeps,
  choice: OperatorResetChoice,
): Promise<OperatorResetResult> {
  const { db, users } = deps;
  const user = await users.findUserByEmail(db, choice.email);
  if (user === undefined) throw new ResetRefused(await explainUnknown(deps, choice.email));
  if (user.disabled_at !== null) {
    throw new ResetRefused(`The user ${user.email} is disabled. An admin has to enable the user first.`);
  }
  const home = await users.findHome(db, user.id);
  if (home === undefined) {
    throw new ResetRefused(
      `The user ${user.email} is in no organization. An admin has to invite the user again.`,
    );
  }
  const actor: Actor = { ...systemActor(home.id), name: 'operator' };
  return choice.wantsToken
    ? issueToken(deps, { actor, user })
    : setNewPassword(deps, { actor, user }, choice);
}

interface ResetTarget {
  readonly actor: Actor;
  readonly user: UserTable;
}

async function setNewPassword(
  { db, gate }: OperatorResetDeps,
  { actor, user }: ResetTarget,
  { keepsTokens, removesMfa }: OperatorResetChoice,
): Promise<OperatorResetResult> {
  const password = newPassword();
  const password_hash = await hashPassword(password);
  const hadMfa = await hasConfirmedFactor(db, user.id);
  const revokedTokens = await gate.applyChange(actor, {
    action: 'auth.password_reset',
    permission: 'anyone',
    async plan(tx, at) {
      const revoked_tokens = keepsTokens ? 0 : await countPersonalTokens(tx, user.id, at);
      const after = {
        ...(revoked_tokens > 0 && { revoked_tokens }),
        ...(removesMfa && hadMfa && { mfa_enabled: false }),
      };
      return {
        ...userPlan(user.id, user.email),
        after,
        async write() {
          await setPassword(tx, user.id, password_hash);
          await endSessions(tx, user.id, at);
          if (!keepsTokens) await revokePersonalTokens(tx, user.id, at);
          if (removesMfa) await removeFactor(tx, user.id);
          return revoked_tokens;
        },
      };
    },
  });
  return {
    email: user.email,
    secret: { kind: 'password', password },
    revokedTokens,
    removedMfa: removesMfa && hadMfa,
    needsMfa: hadMfa && !removesMfa,
  };
}

async function issueToken(
  { db, gate, now, apiSecretKey }: OperatorResetDeps,
  { actor, user }: ResetTarget,
): Promise<OperatorResetResult> {
  const token = newSecret('rst_');
  await gate.applyChange(actor, {
    action: 'auth.password_reset_requested',
    permission: 'anyone',
    plan: async (tx, at) => ({
      ...userPlan(user.id, user.email),
      async write() {
        const expires_at = new Date(now() + HOUR_MS).toISOString();
        const token_hash = createSecretHash(apiSecretKey)(token);
        await putReset(tx, { user_id: user.id, token_hash, created_at: at, expires_at });
      },
    }),
  });
  const needsMfa = await hasConfirmedFactor(db, user.id);
  return {
    email: user.email,
    secret: { kind: 'token', token },
    revokedTokens: 0,
    removedMfa: false,
    needsMfa,
  };
}

/** Without characters that look alike, because people copy the password by hand. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP_LENGTH = 4;

/** A password of five groups, with about 99 random bits. */
function newPassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

const COMPARED_MAX = 10_000;
const SUGGESTION_DISTANCE_MAX = 4;

async function explainUnknown({ db, users: store }: OperatorResetDeps, email: string): Promise<string> {
  const users = await db.selectFrom('users').select('email').limit(COMPARED_MAX).execute();
  if (users.length === 0) return 'There is no user yet. The first user who registers becomes the admin.';
  const wanted = store.foldEmail(email);
  const [nearest] = users
    .map((user) => ({ email: user.email, distance: editDistance(wanted, store.foldEmail(user.email)) }))
    .filter(({ distance }) => distance <= SUGGESTION_DISTANCE_MAX)
    .sort((left, right) => left.distance - right.distance);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest.email}?`;
  return `There is no user with the email "${email}".${hint}`;
}
