import { createSecretKey, hash, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { ApiError } from '../../../../http/errors.ts';

/** What an access token says: who, by which session, in which organization. The role is never in it. */
export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly organizationId: string;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** A token of ours, and when its time is over, seconds since 1970. */
interface CheckedToken {
  readonly claims: AccessClaims;
  readonly expiresAt: number;
}

/** Signs and checks access tokens: JWT, HS256 and nothing else ("Authentication"). */
export interface AccessTokens {
  /** Good for 24 hours, and no longer than the session. */
  issue(claims: AccessClaims, sessionExpiresAt: string): Promise<IssuedToken>;
  /** Throws TOKEN_EXPIRED for a token of ours past its time, else INVALID_TOKEN. */
  verify(token: string): Promise<AccessClaims>;
}

/** Seconds an access token lives ("Limits"). */
const ACCESS_TOKEN_SECONDS = 86_400;

const ISSUER = 'flagsvc';
const AUDIENCE = 'flagsvc-api';
const HEADER = { alg: 'HS256', typ: 'JWT' };
/** All our tokens begin alike. One with another header (kid, jku, crit, zip, other algorithms) is not ours. */
const HEADER_TEXT = Buffer.from(JSON.stringify(HEADER)).toString('base64url');
const TOKEN_LENGTH_MAX = 2_048;
/** So many tokens that were found good are remembered. */
const REMEMBERED_MAX = 1_000;

export function createAccessTokens(secret: string, now: () => number): AccessTokens {
  const key = createSecretKey(Buffer.from(secret, 'utf8'));
  /**
   * Good tokens by their hashes: of a signature that was right once, only its time can run out. To check one goes by way
   * of another thread, behind whatever else waits there.
   */
  const remembered = new Map<string, CheckedToken>();

  const remember = (name: string, checked: CheckedToken): void => {
    // The last one to be forgotten.
    remembered.delete(name);
    remembered.set(name, checked);
    if (remembered.size > REMEMBERED_MAX) remembered.delete(remembered.keys().next().value!);
  };

  const check = async (token: string): Promise<CheckedToken> => {
    if (!isCanonical(token)) throw new ApiError('INVALID_TOKEN');
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'ses', 'org', 'iat', 'exp', 'jti'],
        currentDate: new Date(now()),
      });
      const { sub, ses, org, exp } = payload as Record<string, unknown>;
      if (typeof sub !== 'string' || typeof ses !== 'string' || typeof org !== 'string') {
        throw new ApiError('INVALID_TOKEN');
      }
      return {
        claims: { userId: sub, sessionId: ses, organizationId: org },
        expiresAt: exp as number,
      };
    } catch (error) {
      throw new ApiError(error instanceof errors.JWTExpired ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN');
    }
  };

  return {
    async issue({ userId, sessionId, organizationId }, sessionExpiresAt) {
      const issuedAt = Math.floor(now() / 1000);
      const sessionSeconds = Math.max(1, Math.floor(Date.parse(sessionExpiresAt) / 1000) - issuedAt);
      const expiresInSeconds = Math.min(ACCESS_TOKEN_SECONDS, sessionSeconds);
      const token = await new SignJWT({ ses: sessionId, org: organizationId })
        .setProtectedHeader(HEADER)
        .setSubject(userId)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + expiresInSeconds)
        .sign(key);
      return { token, expiresInSeconds };
    },
    async verify(token) {
      if (token.length > TOKEN_LENGTH_MAX) throw new ApiError('INVALID_TOKEN');
      const name = hash('sha256', token, 'base64url');
      const checked = remembered.get(name) ?? (await check(token));
      if (checked.expiresAt <= Math.floor(now() / 1000)) throw new ApiError('TOKEN_EXPIRED');
      remember(name, checked);
      return checked.claims;
    },
  };
}

/** base64url has several texts for the same bytes; only the one that we would write is accepted. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts[0] === HEADER_TEXT &&
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}
