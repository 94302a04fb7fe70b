import { isIPv6 } from 'node:net';
import { isAddressOrRange } from '../lib/address-ranges.ts';
import type { DeploymentMode } from '../lib/deployment-modes.ts';

/** Parses a value. Throws an error whose message completes "FLAGSVC_X …". */
export type Read<T> = (text: string) => T;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Private ranges that webhooks may reach, and ports besides 443. */
export interface OutboundAllowance {
  readonly ranges: readonly string[];
  readonly ports: readonly number[];
}

export const SECRET_LENGTH_MIN = 32;
export const SECRET_RECIPE = 'as "flagsvc-server secrets" prints';

export const readSecret: Read<string> = (text) => {
  if (text.length >= SECRET_LENGTH_MIN) return text;
  throw new Error(
    `has ${text.length} character${text.length === 1 ? '' : 's'}; it needs at least ${SECRET_LENGTH_MIN} random ones (${SECRET_RECIPE}).`,
  );
};

export const readMode: Read<DeploymentMode> = (text) => {
  const mode = text.toLowerCase();
  if (mode === 'oss') return mode;
  const isKnown = mode === 'saas' || mode === 'enterprise';
  const why = isKnown ? 'which this version does not offer yet' : 'which is not a deployment mode';
  throw new Error(`is "${text}", ${why}; set it to "oss" or leave it out.`);
};

export const readDatabaseUrl: Read<string> = (text) => {
  const remedy =
    'use "sqlite:<path>", such as "sqlite:.data/flagsvc.db", or "postgres://user:password@host/database".';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw new Error(`names no database system; ${remedy}`);
  if (scheme === 'postgres' || scheme === 'postgresql') return readPostgresUrl(text);
  // The text may contain a password, so the message repeats only the scheme.
  if (scheme !== 'sqlite') throw new Error(`names "${scheme}", which is not supported; ${remedy}`);
  const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (/^(\/\/|[./]*$)/.test(path)) throw new Error(`names no file; ${remedy}`);
  if (path.startsWith('~'))
    throw new Error('begins with "~", which only a shell replaces; write the whole path.');
  if (path.includes('?')) throw new Error('has parameters, which have no effect; write only the path.');
  return `sqlite:${path}`;
};

const readPostgresUrl: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A Unix socket is given as the parameter `host`.
  const hasHost = url !== undefined && (url.hostname !== '' || url.searchParams.has('host'));
  if (hasHost && /^\/[^/]+$/.test(url.pathname) && isDecodable(url.href)) return url.href;
  throw new Error(
    'is not the address of a database; write "postgres://user:password@host:5432/database", and percent-encode special ' +
      'characters, such as %40 for an @ in the password.',
  );
};

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** An origin, whose port may be `*`; or `*` alone. */
export const readOrigin: Read<string> = (text) => {
  if (text === '*') return text;
  const isAnyPort = text.endsWith(':*') && !/:\d+:\*$/.test(text);
  const origin = originOf(isAnyPort ? text.slice(0, -2) : text);
  if (origin !== undefined) return isAnyPort ? `${origin}:*` : origin;
  throw new Error(
    `contains "${text}", which is not an origin; write "https://app.example.com", "http://localhost:*" for all ports, or "*" for all.`,
  );
};

/** The normal form of an origin; undefined if the text is something else or has more parts. */
function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin && !url.host.includes('*') ? url.origin : undefined;
}

export const readDashboardUrl: Read<string> = (text) => {
  const origin = originOf(text);
  if (origin !== undefined) return origin;
  // The text may contain a password, so the message does not repeat it.
  throw new Error(
    'is not an address with only a host; write "https://flags.example.com", without a path, because the dashboard needs an address of its own.',
  );
};

export const readHost: Read<string> = (text) => {
  if (/^[\w.-]+$/.test(text) || isIPv6(text)) return text;
  throw new Error(
    'is not an address or a host name without a port; use "127.0.0.1", or "0.0.0.0" for all interfaces.',
  );
};

export const readPort: Read<number> = (text) => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`is "${text}", which is not a port; use a number from 1 to 65535, or 0 for any free port.`);
};

export const readPortOrOff: Read<number | null> = (text) => {
  if (text.toLowerCase() === 'off') return null;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(
    `is "${text}", which is not a port; use a number from 1 to 65535, or "off" to serve no dashboard.`,
  );
};

export const readCount: Read<number> = (text) => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error(`is "${text}"; use a whole number from 1 to 999999.`);
};

export const readAllowance: Read<OutboundAllowance> = (text) => {
  const parts = listOf(String)(text);
  const ports = parts.filter((part) => /^\d{1,5}$/.test(part)).map(Number);
  const ranges = parts.filter((part) => !/^\d{1,5}$/.test(part));
  const invalid = ranges.find((part) => !isAddressOrRange(part));
  if (invalid === undefined && ports.every((port) => port > 0 && port <= 65_535)) return { ranges, ports };
  throw new Error(
    `contains "${invalid ?? ports.find((port) => port === 0 || port > 65_535)}"; list addresses, ranges and ports, such as "10.0.0.0/8,8443".`,
  );
};

export const readOutboundProxy: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A path or a query would have no effect; a bare % cannot be decoded.
  const isBare = url?.pathname === '/' && url.search === '' && url.hash === '';
  if (isBare && url.protocol === 'http:' && !/%(?![\da-f]{2})/i.test(url.href)) return url.href;
  // The text may contain a password, so the message does not repeat it.
  throw new Error(
    'is not the address of a proxy; write "http://proxy.example.com:3128", or "http://user:password@…".',
  );
};

export const readProxy: Read<string> = (text) => {
  if (isAddressOrRange(text)) return text;
  // In other servers, this setting is a number of hops.
  if (/^\d+$/.test(text)) {
    throw new Error(
      `contains "${text}", a number; name the address or range of your proxy instead, such as "10.0.0.0/8".`,
    );
  }
  throw new Error(
    `contains "${text}"; list the addresses or ranges of your proxies, such as "10.0.0.0/8". ` +
      'Trusting every proxy would let clients choose the address that rate limits count.',
  );
};

export function listOf<T>(read: Read<T>): Read<T[]> {
  return (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(read);
}

export function oneOf<const T extends string>(allowed: readonly T[]): Read<T> {
  return (text) => {
    const found = allowed.find((value) => value === text.toLowerCase());
    if (found !== undefined) return found;
    throw new Error(`is "${text}"; use one of ${allowed.join(', ')}.`);
  };
}

const readOnOff = oneOf(['on', 'off']);

export function readSwitch(text: string): boolean {
  return readOnOff(text) === 'on';
}

/** Parses a log level. Also accepts `WARNING` and `CRITICAL`, names that other systems use. */
export function readLogLevel(text: string): LogLevel {
  const others: Readonly<Record<string, string>> = { warning: 'warn', critical: 'fatal' };
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
  return oneOf(levels)(others[text.toLowerCase()] ?? text);
}

export const readRedisUrl: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRedis = url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
  if (isRedis && /^\/?\d{0,3}$/.test(url.pathname) && isDecodable(url.href)) return url.href;
  // The text may contain a password, so the message does not repeat it.
  throw new Error(
    'is not the address of a Redis or Valkey; write "redis://host:6379/0", or "rediss://user:password@host:6379" for TLS, and percent-encode special characters.',
  );
};
