import { hash, verify } from '@node-rs/argon2';

/** argon2id (the library's default) with OWASP's first choice: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What an unknown e-mail is checked against, so that it takes as long as a known one. */
let nobody: Promise<string> | undefined;

export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

/** Without a stored hash (no such user) it works as long and says no. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  nobody ??= hashPassword('nobody has this password');
  const matches = await verify(stored ?? (await nobody), password);
  return matches && stored !== undefined;
}
