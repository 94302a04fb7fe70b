import ipaddr from 'ipaddr.js';
import { isAmong, parseRange } from '../lib/address-ranges.ts';

/** The operator's allow-list for outbound requests. */
export interface OutboundAllowance {
  /** Private addresses and ranges that may be called. */
  readonly ranges: readonly string[];
  /** Ports besides 443 (and 80 when plain HTTP is allowed). */
  readonly ports: readonly number[];
}

/** The assigned part of IPv6. ipaddr.js classes every unknown address as unicast, `::10.0.0.1` included. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Whether the server may call an IP address. */
export type AddressCheck = (address: string) => boolean;

/**
 * Allows public unicast addresses and the allow-list. Refuses other private, local, reserved, translated (NAT64, 6to4,
 * Teredo) and multicast addresses, also when they are mapped into IPv6.
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
