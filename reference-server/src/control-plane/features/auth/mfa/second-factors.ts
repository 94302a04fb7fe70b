import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../../../../http/errors.ts';
import type { Sealer } from '../../../../lib/sealed-text.ts';
import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { UserTable } from '../../../../storage/people-tables.ts';
import { createLoginBackoff } from '../login-backoff.ts';
import type { LoginFailures } from '../login-failures.ts';
import { createSecretHash } from '../tokens/secret-tokens.ts';
import { findFactor, hasConfirmedFactor, putFactor, takeRecoveryCode } from './second-factor-store.ts';
import { matchTotp, toBase32 } from './totp.ts';

/** Validity of the token of an MFA_REQUIRED answer. */
export const MFA_TOKEN_SECONDS = 300;

const RECOVERY_CODES = 10;
const RECOVERY_CODE_BYTES = 10;
const TOKEN_PREFIX = 'mfa_';

/** Decides whether a login requires a code, and checks codes. */
export interface SecondFactors {
  /** Whether the user has a confirmed factor. */
  isOn(db: Queryable, userId: string): Promise<boolean>;
  /** An encrypted token that proves that the password was right; valid for 5 minutes. */
  openChallenge(user: UserTable): string;
  /**
   * The user of a token; undefined when the token is invalid or expired. `isOf` returns false for any other user, and
   * after the user's password has changed.
   */
  readChallenge(token: string): { readonly userId: string; isOf(user: UserTable): boolean } | undefined;
  /** Consumes a code of the app, or a recovery code if the factor is not pending. Throws INVALID_MFA_CODE. */
  useCode(
    tx: Tx,
    of: { readonly userId: string; readonly code: string; readonly isPending?: boolean },
  ): Promise<void>;
  /**
   * Runs `act` and counts a failure when it throws INVALID_MFA_CODE. Call it outside any transaction. Throws
   * RATE_LIMIT_EXCEEDED while the user has to wait after too many wrong codes.
   */
  withBackoff<T>(userId: string, act: () => Promise<T>): Promise<T>;
  /** Ten new recovery codes with their hashes. */
  newRecoveryCodes(): readonly { readonly code: string; readonly hash: string }[];
}

export interface SecondFactorDeps {
  readonly now: () => number;
  readonly failures: LoginFailures;
  readonly apiSecretKey: string;
  readonly sealer: Sealer;
}

export function createSecondFactors(deps: SecondFactorDeps): SecondFactors {
  const { now, sealer } = deps;
  const backoff = createLoginBackoff({ now, failures: deps.failures, wrongGuess: 'INVALID_MFA_CODE' });
  const hash = createSecretHash(deps.apiSecretKey);
  return {
    isOn: hasConfirmedFactor,

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

    // Not shared with passwords, because a login with the right password would reset the count.
    withBackoff: backoff.attempt,

    async useCode(tx, { userId, code: text, isPending = false }) {
      const factor = await findFactor(tx, userId);
      const code = text.replaceAll(/[\s-]/g, '').toLowerCase();
      if (factor !== undefined && (factor.confirmed_at !== null || isPending)) {
        const secret = openSecret(sealer, factor.secret_sealed);
        const step = secret && matchTotp(secret, code, { time: now(), lastStep: factor.last_step });
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

/** Undefined when the secret was encrypted with another key; then no code matches. */
function openSecret(sealer: Sealer, sealed: string): string | undefined {
  try {
    return sealer.open(sealed);
  } catch {
    return undefined;
  }
}

/** Changes with the password, which invalidates open challenges. */
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
