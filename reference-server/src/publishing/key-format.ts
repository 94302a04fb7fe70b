import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A key's prefix names the type of its environment ("Authentication", 4). */
export const KEY_PREFIXES: Readonly<Record<string, string>> = {
  development: 'sdk-dev-',
  staging: 'sdk-staging-',
  production: 'sdk-prod-',
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** A new key: prefix, 32 random base62 characters (190 bits), and a CRC-32 by which scanners recognize keys offline. */
export function generateKey(environmentType: string): string {
  return generateSecret(KEY_PREFIXES[environmentType]!);
}

/** A new secret in the form of a key, but with any prefix. */
export function generateSecret(prefix: string): string {
  const body = prefix + randomBase62(SECRET_LENGTH);
  return body + checksum(body);
}

/** Whether a text has the form of an API key: prefix, length, letters and checksum. Needs no database. */
export function hasKeyForm(text: string): boolean {
  const [, prefix = ''] = /^(sdk-[a-z]+-)[0-9A-Za-z]{38}$/.exec(text) ?? [];
  return Object.values(KEY_PREFIXES).includes(prefix) && hasChecksum(text);
}

/** Whether a text ends with the checksum of everything before it, as `generateSecret` writes it. */
export function hasChecksum(text: string): boolean {
  return text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(0, -CHECKSUM_LENGTH));
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = BASE62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Discards bytes from 248 (4 · 62) up, which would make the first characters of the alphabet more likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]!;
    }
  }
  return text;
}
