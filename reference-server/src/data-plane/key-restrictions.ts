import ipaddr from 'ipaddr.js';
import { ApiError } from '../http/errors.ts';
import { type AddressRange, isAmong, parseRange } from '../lib/address-ranges.ts';
import type { KeyGrant } from './ports.ts';

/** Grants are few and live long; their lists are parsed once. */
const ranges = new WeakMap<KeyGrant, readonly AddressRange[]>();

/**
 * Throws ORIGIN_NOT_ALLOWED or IP_NOT_ALLOWED (403) where the key's own lists say so. A request
 * without an `Origin` comes from no page of another origin, so only those that name one are held against the list.
 */
export function requireAllowed(grant: KeyGrant, origin: string | undefined, address: string): void {
  const { allowedOrigins = [], allowedIps = [] } = grant;
  if (allowedOrigins.length > 0 && origin && !allowedOrigins.includes(origin)) {
    throw new ApiError('ORIGIN_NOT_ALLOWED');
  }
  if (allowedIps.length > 0 && !isFrom(grant, allowedIps, address)) throw new ApiError('IP_NOT_ALLOWED');
}

function isFrom(grant: KeyGrant, allowed: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  let list = ranges.get(grant);
  if (list === undefined) {
    list = allowed.map(parseRange);
    ranges.set(grant, list);
  }
  return isAmong(ipaddr.process(address), list);
}
