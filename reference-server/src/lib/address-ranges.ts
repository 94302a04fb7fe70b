import ipaddr from 'ipaddr.js';

/** A range of addresses: the first of them, and how many bits all of them share. */
export type AddressRange = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/**
 * Whether a text that somebody gives is an address or a range as people write them. ipaddr.js also takes what inet_aton
 * takes, where `1` is 0.0.0.1 and `10.1` is 10.0.0.1: nobody who writes such a text means that address.
 */
export function isAddressOrRange(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  if (text.includes(':')) return IPv6.isValid(text) || IPv6.isValidCIDR(text);
  return IPv4.isValidFourPartDecimal(text) || IPv4.isValidCIDRFourPartDecimal(text);
}

/** A single address is the range of it alone. */
export function parseRange(text: string): AddressRange {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Whether one of the ranges holds the address, parsed by `process`, which takes IPv4 mapped into IPv6 for IPv4. */
export function isAmong(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));
}
