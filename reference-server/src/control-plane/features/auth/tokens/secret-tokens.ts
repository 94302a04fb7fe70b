import { createHmac, randomBytes } from 'node:crypto';

/** A secret with 256 random bits. */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** A keyed hash, so that the database alone does not allow checking guesses. Random secrets need no slow hash
 * (decisions/0029). */
export function createSecretHash(apiSecretKey: string): (secret: string) => string {
  return (secret) => createHmac('sha256', apiSecretKey).update(secret).digest('hex');
}
