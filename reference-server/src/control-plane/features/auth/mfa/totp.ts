import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords (RFC 6238) with the defaults of authenticator apps: SHA-1, 6 digits, 30 seconds. */

const STEP_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Accepted clock difference in steps, in either direction. */
const DRIFT_STEPS = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** The URL that an app reads from a QR code. */
export function totpUrl(secret: string, account: string): string {
  const label = encodeURIComponent(`flagsvc:${account}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=flagsvc&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
}

/** The code of a time step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = digest[digest.length - 1]! & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The step of a time in milliseconds since 1970. */
export function totpStep(time: number): number {
  return Math.floor(time / 1000 / STEP_SECONDS);
}

/** Finds the time step of a code, near `time` and after `lastStep`. Undefined for a wrong or used code. */
export function matchTotp(
  secret: string,
  code: string,
  { time, lastStep }: { readonly time: number; readonly lastStep: number },
): number | undefined {
  const now = totpStep(time);
  for (let step = now - DRIFT_STEPS; step <= now + DRIFT_STEPS; step++) {
    if (step > lastStep && isSame(totpCode(secret, step), code)) return step;
  }
  return undefined;
}

function isSame(code: string, given: string): boolean {
  return /^\d{6}$/.test(given) && timingSafeEqual(Buffer.from(code), Buffer.from(given));
}

/** RFC 4648 without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(held << (5 - bits)) & 31] : text;
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const letter of text) {
    held = (held << 5) | BASE32.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
    held &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}
