import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../../../../http/errors.ts';
import type { Sealer } from '../../../../lib/sealed-text.ts';
import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { UserTable } from '../../../../storage/people-tables.ts';
import { createLoginBackoff } from '../login-backoff.ts';
import { createSecretHash } from '../tokens/secret-tokens.ts';
import { findFactor, putFactor, takeRecoveryCode } from './second-factor-store.ts';
import { matchTotp, toBase32 } from './totp.ts';

/** How long a login may wait for its code. */
export const MFA_TOKEN_SECONDS = 300;

const RECOVERY_CODES = 10;
const RECOVERY_CODE_BYTES = 10;
const TOKEN_PREFIX = 'mfa_';

/** What asks for a code, and takes it. */
export interface SecondFactors {
  isOn(db: Queryable, userId: string): Promise<boolean>;
  /** Says in a token that the password was right. Nobody can read it, and it is of no use after 5 minutes. */
  openChallenge(user: UserTable): string;
  /** The user behind a token; undefined when it is none, is too old, or the password was changed since. */
  readChallenge(token: string): { readonly userId: string; isOf(user: UserTable): boolean } | undefined;
  /** Uses up a code of the app or, unless the factor is pending, a recovery code. Throws INVALID_MFA_CODE. */
  useCode(tx: Tx, userId: string, code: string, isPending?: boolean): Promise<void>;
  /**
   * Runs what uses up a code, and counts the wrong ones, which no transaction takes back. Throws RATE_LIMIT_EXCEEDED
   * while the user has to wait after too many.
   */
  counted<T>(userId: string, act: () => Promise<T>): Promise<T>;
  /** Ten new codes with their hashes. */
  newRecoveryCodes(): readonly { readonly code: string; readonly hash: string }[];
}

export interface SecondFactorDeps {
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly sealer: Sealer;
}

export function createSecondFactors(deps: SecondFactorDeps): SecondFactors {
  const { now, sealer } = deps;
  const backoff = createLoginBackoff(now, 'INVALID_MFA_CODE');
  const hash = createSecretHash(deps.apiSecretKey);
  return {
    async isOn(db, userId) {
      return (await findFactor(db, userId))?.confirmed_at != null;
    },

    openChallenge(user) {
      const until = now() + MFA_TOKEN_SECONDS * 1000;
      const sealed = sealer.seal(JSON.stringify({ userId: user.id, until, password: fingerprint(user) }));
      return TOKEN_PREFIX + Buffer.from(sealed, 'base64').toString('base64url');
    },

    readChallenge(token) {
      const { userId, until, password } = readSealed(sealer, token);
      if (userId === undefined || until === undefined || until <= now()) return undefined;
      return { userId, isOf: (user) => user.id === userId && fingerprint(user) === password };
    },

    // Apart from passwords: whoever knows the password must not start anew by logging in again.
    counted: backoff.attempt,

    async useCode(tx, userId, text, isPending = false) {
      const factor = await findFactor(tx, userId);
      const code = text.replaceAll(/[\s-]/g, '').toLowerCase();
      if (factor !== undefined && (factor.confirmed_at !== null || isPending)) {
        const secret = openSecret(sealer, factor.secret_sealed);
        const step = secret && matchTotp(secret, code, now(), factor.last_step);
        if (typeof step === 'number') {
          await putFactor(tx, { ...factor, last_step: step });
          return;
        }
        if (!isPending && (await takeRecoveryCode(tx, userId, hash(code)))) return;
      }
      throw new ApiError('INVALID_MFA_CODE');
    },

    newRecoveryCodes: () =>
      Array.from({ length: RECOVERY_CODES }, () => {
        const code = toBase32(randomBytes(RECOVERY_CODE_BYTES)).toLowerCase();
        return { code: code.replace(/(.{4})(?=.)/g, '$1-'), hash: hash(code) };
      }),
  };
}

/** Undefined when it was sealed under another key: no code is right then. */
function openSecret(sealer: Sealer, sealed: string): string | undefined {
  try {
    return sealer.open(sealed);
  } catch {
    return undefined;
  }
}

/** Of the password that was given: another one makes every open challenge worthless. */
function fingerprint({ password_hash }: UserTable): string {
  return createHash('sha256').update(password_hash).digest('base64url');
}

function readSealed(sealer: Sealer, token: string): { userId?: string; until?: number; password?: string } {
  try {
    const sealed = Buffer.from(token.slice(TOKEN_PREFIX.length), 'base64url').toString('base64');
    return JSON.parse(sealer.open(sealed)) as { userId: string; until: number; password: string };
  } catch {
    return {};
  }
}
