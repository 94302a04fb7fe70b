import ipaddr from 'ipaddr.js';

/** A range of addresses: the first of them, and how many bits all of them share. */
export type AddressRange = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

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
