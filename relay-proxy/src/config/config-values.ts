import { hasKeyForm, type Read, toSigningKey } from '@flagsvc/reference-server/data-plane';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNITS_BYTES: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const SPOOL_MIN_BYTES = 2 ** 20;

/** The base address of the API, with its prefix; the same address as that of an SDK, or only the host's. */
export const readUpstreamUrl: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && url.search === '' && url.hash === '' && url.username === '';
  if (!isBare || !/^https?:$/.test(url.protocol)) {
    // The text may contain a password, so the message does not repeat it.
    throw new Error('is not the address of a server; write "https://flags.example.com".');
  }
  url.pathname = url.pathname.replace(/\/{2,}/g, '/');
  const address = url.href.replace(/\/+$/, '');
  return address.endsWith('/api/v1') ? address : `${address}/api/v1`;
};

/** An API key. The message of a fault does not repeat the key. */
export const readKey: Read<string> = (text) => {
  if (hasKeyForm(text)) return text;
  throw new Error(
    'contains a text that is not an API key; list keys of kind "relay", one for each environment, separated by commas.',
  );
};

export const readDuration: Read<number> = (text) => {
  const [, count, unit = ''] = /^([1-9]\d{0,5})\s*([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS_MS[unit]!;
  throw new Error(`is "${text}", which is not a duration; write "24h", or use the units s, m and d.`);
};

export const readBytes: Read<number> = (text) => {
  const [, count, unit = ''] = /^([1-9]\d{0,5})\s*([KMG]iB)$/.exec(text) ?? [];
  const bytes = count === undefined ? 0 : Number(count) * UNITS_BYTES[unit]!;
  if (bytes >= SPOOL_MIN_BYTES) return bytes;
  throw new Error(`is "${text}"; write a size of at least 1MiB, such as "256MiB" or "2GiB".`);
};

/** The 32 bytes of a public Ed25519 key in base64url: the field `x` of the server's keys. */
export const readSigningKey: Read<string> = (text) => {
  try {
    if (/^[\w-]{43}$/.test(text)) return toSigningKey(text).x;
  } catch {
    // Reported below.
  }
  throw new Error(
    `contains "${text}", which is not a public key; copy "x" from /.well-known/flagsvc-ruleset-keys.json of the server.`,
  );
};
