import ipaddr from 'ipaddr.js';
import { isAmong, parseRange } from '../lib/address-ranges.ts';

/** What the allow-list of outbound requests says: private ranges and further ports. */
export interface OutboundAllowance {
  /** Addresses and ranges that may be called although they are not public. */
  readonly ranges: readonly string[];
  /** Ports besides 443, and 80 where plain HTTP is allowed. */
  readonly ports: readonly number[];
}

/** All that is given out of IPv6: ipaddr.js calls whatever it has no name for unicast, `::10.0.0.1` too. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Decides whether an address may be called. */
export type AddressCheck = (address: string) => boolean;

/**
 * Only addresses that ipaddr.js classes as `unicast`, and those of the allow-list: everything private, local,
 * reserved, translated (NAT64, 6to4, Teredo) or multicast is refused, also when it comes mapped into IPv6.
 */
export function createAddressCheck({ ranges }: OutboundAllowance): AddressCheck {
  const allowed = ranges.map(parseRange);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    const isGlobal = address.kind() === 'ipv4' || address.match(GLOBAL_IPV6 as never);
    if (isGlobal && address.range() === 'unicast') return true;
    return isAmong(address, allowed);
  };
}
