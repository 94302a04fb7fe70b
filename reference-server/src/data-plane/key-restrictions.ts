import ipaddr from 'ipaddr.js';
import { ApiError } from '../http/errors.ts';
import { type AddressRange, isAmong, parseRange } from '../lib/address-ranges.ts';
import type { KeyGrant } from './ports.ts';

/** The parsed ranges of each grant. They are cached because grants are few and live long. */
const ranges = new WeakMap<KeyGrant, readonly AddressRange[]>();

/**
 * Throws ORIGIN_NOT_ALLOWED or IP_NOT_ALLOWED (403) if the key's lists exclude the request. A request without `Origin` is
 * not from a page of another origin, so the list of origins does not apply to it.
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
