import ipaddr from 'ipaddr.js';

/**
 * The key that an address counts under: IPv4 as it is, IPv6 by its /64. One customer owns a whole /64 and could otherwise
 * start a new window with every request.
 */
export function addressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
