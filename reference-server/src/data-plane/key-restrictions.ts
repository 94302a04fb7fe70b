import ipaddr from 'ipaddr.js';
import { ApiError } from '../http/errors.ts';
import type { KeyGrant } from './ports.ts';

/** Grants are few and live long; their lists are parsed once. */
const ranges = new WeakMap<KeyGrant, readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[]>();

/**
 * Throws ORIGIN_NOT_ALLOWED or IP_NOT_ALLOWED (403) where the key's own lists say so. A request
 * without an `Origin` comes from no page of another origin, so only those that name one are held against the list.
 */
export function requireAllowed(grant: KeyGrant, origin: string | undefined, address: string): void {
  const { allowedOrigins = [], allowedIps = [] } = grant;
  if (allowedOrigins.length > 0 && origin !== undefined && !allowedOrigins.includes(origin)) {
    throw new ApiError('ORIGIN_NOT_ALLOWED');
  }
  if (allowedIps.length > 0 && !isAmong(grant, allowedIps, address)) throw new ApiError('IP_NOT_ALLOWED');
}

function isAmong(grant: KeyGrant, allowed: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  let list = ranges.get(grant);
  if (list === undefined) {
    list = allowed.map(parseRange);
    ranges.set(grant, list);
  }
  // `process` shows an IPv4 address that came mapped into IPv6 as what it is.
  const parsed = ipaddr.process(address);
  return list.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base as never, bits));
}

function parseRange(text: string): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
