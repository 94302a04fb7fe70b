import ipaddr from 'ipaddr.js';

/** A range of IP addresses: its first address and the length of its prefix in bits. */
export type AddressRange = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/**
 * Whether a text is an IP address or CIDR range in its usual notation. ipaddr.js also accepts the short forms of
 * inet_aton (`10.1` is 10.0.0.1), which are typing errors here.
 */
export function isAddressOrRange(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  if (text.includes(':')) return IPv6.isValid(text) || IPv6.isValidCIDR(text);
  return IPv4.isValidFourPartDecimal(text) || IPv4.isValidCIDRFourPartDecimal(text);
}

/** Parses a range; a single address becomes a range of one. */
export function parseRange(text: string): AddressRange {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/**
 * Whether one of the ranges contains the address. Parse the address with `ipaddr.process`, which turns an IPv4-mapped
 * IPv6 address into IPv4.
 */
export function isAmong(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));
}
