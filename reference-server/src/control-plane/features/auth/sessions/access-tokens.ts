import { createSecretKey, hash, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { ApiError } from '../../../../http/errors.ts';

/** The content of an access token. It never contains the role, which is read from the database. */
export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly organizationId: string;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** A verified token. */
interface VerifiedToken {
  readonly claims: AccessClaims;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Signs and verifies access tokens: JWT with HS256 only ("Authentication"). */
export interface AccessTokens {
  /** Issues a token that is valid for 24 hours, but no longer than the session. */
  issue(claims: AccessClaims, sessionExpiresAt: string): Promise<IssuedToken>;
  /** Throws TOKEN_EXPIRED for one of our tokens that has expired, and INVALID_TOKEN for any other invalid token. */
  verify(token: string): Promise<AccessClaims>;
}

/** Validity of an access token ("Limits"). */
const ACCESS_TOKEN_SECONDS = 86_400;

const ISSUER = 'flagsvc';
const AUDIENCE = 'flagsvc-api';
const HEADER = { alg: 'HS256', typ: 'JWT' };
/**
 * All our tokens have this header. A token with any other header (kid, jku, crit, zip, other algorithms) is refused.
 */
const HEADER_TEXT = Buffer.from(JSON.stringify(HEADER)).toString('base64url');
const TOKEN_LENGTH_MAX = 2_048;
/** Maximum number of verified tokens in the cache. */
const CACHED_MAX = 1_000;

export function createAccessTokens(secret: string, now: () => number): AccessTokens {
  const key = createSecretKey(Buffer.from(secret, 'utf8'));
  /**
   * Verified tokens by hash, least recently used first. They are cached because verifying takes a round trip to another
   * thread. A valid signature stays valid, so only the expiry is checked again.
   */
  const verified = new Map<string, VerifiedToken>();

  const keep = (tokenHash: string, token: VerifiedToken): void => {
    verified.delete(tokenHash);
    verified.set(tokenHash, token);
    if (verified.size > CACHED_MAX) verified.delete(verified.keys().next().value!);
  };

  const verifyToken = async (token: string): Promise<VerifiedToken> => {
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
      const tokenHash = hash('sha256', token, 'base64url');
      const known = verified.get(tokenHash) ?? (await verifyToken(token));
      if (known.expiresAt <= Math.floor(now() / 1000)) throw new ApiError('TOKEN_EXPIRED');
      keep(tokenHash, known);
      return known.claims;
    },
  };
}

/** Several base64url texts decode to the same bytes; only the canonical one is accepted. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts[0] === HEADER_TEXT &&
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}
