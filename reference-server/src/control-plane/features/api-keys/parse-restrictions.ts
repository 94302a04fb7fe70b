import { invalid } from '../../../http/errors.ts';
import { isAddressOrRange } from '../../../lib/address-ranges.ts';

/** Normalizes origins. Throws VALIDATION_ERROR for an invalid origin, and for any origin on a key that is not a client key. */
export function parseOrigins(origins: readonly string[] = [], kind: string | undefined): readonly string[] {
  if (origins.length > 0 && kind !== 'client') {
    throw invalid({
      field: 'allowed_origins',
      location: 'body',
      code: 'kind',
      message: 'is only for client keys, because pages must not contain other keys',
    });
  }
  return [...new Set(origins.map(parseOrigin))];
}

function parseOrigin(text: string, index: number): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw invalid({
    field: `allowed_origins.${index}`,
    location: 'body',
    code: 'format',
    message: 'must be an origin such as "https://app.example.com"',
  });
}

/** Throws VALIDATION_ERROR for a text that is neither an IP address nor a range. */
export function parseAddresses(addresses: readonly string[] = []): readonly string[] {
  for (const [index, text] of addresses.entries()) {
    if (isAddressOrRange(text)) continue;
    throw invalid({
      field: `allowed_ips.${index}`,
      location: 'body',
      code: 'format',
      message: 'must be an address such as "192.0.2.7" or a range such as "10.0.0.0/8"',
    });
  }
  return [...new Set(addresses)];
}
