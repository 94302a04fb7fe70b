import { createHmac, randomBytes } from 'node:crypto';

/** A text of 256 random bits that is shown once and stored as its hash. */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Of no use to whoever has the database alone. Random texts need no slow hash (decisions/0029). */
export function createSecretHash(apiSecretKey: string): (secret: string) => string {
  return (secret) => createHmac('sha256', apiSecretKey).update(secret).digest('hex');
}
