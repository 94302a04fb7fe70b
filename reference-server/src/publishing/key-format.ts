import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The beginning of a key names the type of its environment ("Authentication", 4). */
export const KEY_PREFIXES: Readonly<Record<string, string>> = {
  development: 'sdk-dev-',
  staging: 'sdk-staging-',
  production: 'sdk-prod-',
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** A new key: prefix, 32 random base62 characters (190 bits), and their CRC-32, so that scanners can tell a key offline. */
export function generateKey(environmentType: string): string {
  return generateSecret(KEY_PREFIXES[environmentType]!);
}

/** The same with any prefix. */
export function generateSecret(prefix: string): string {
  const body = prefix + randomBase62(SECRET_LENGTH);
  return body + checksum(body);
}

/** Whether a text could be a key of ours: prefix, length, letters and checksum are right. Asks no database. */
export function hasKeyForm(text: string): boolean {
  const [, prefix = ''] = /^(sdk-[a-z]+-)[0-9A-Za-z]{38}$/.exec(text) ?? [];
  return Object.values(KEY_PREFIXES).includes(prefix) && hasChecksum(text);
}

/** Whether a text ends with the checksum of what comes before, as `generateSecret` makes it. */
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

/** Bytes above the last multiple of 62 are thrown away, or the first letters would be likelier. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]!;
    }
  }
  return text;
}
