import { hash, verify } from '@node-rs/argon2';

/** argon2id, the library's default, with the parameters that OWASP recommends: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified for unknown emails, so that they take as long as known ones. */
let dummyHash: Promise<string> | undefined;

export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/** Verifies a password. Without a stored hash, as for an unknown user, returns false after the same time. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  dummyHash ??= hashPassword('nobody has this password');
  const matches = await verify(stored ?? (await dummyHash), password);
  return matches && stored !== undefined;
}
