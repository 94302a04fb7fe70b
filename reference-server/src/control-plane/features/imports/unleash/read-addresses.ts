import ipaddr from 'ipaddr.js';
import { type Audience, anyOf, between } from '../elsewhere/audience.ts';
import { oneOf, pattern, present } from '../elsewhere/comparisons.ts';
import type { Loss } from '../elsewhere/loss.ts';

/** One number of an address of version 4, as it is usually written. */
const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

interface AddressScope {
  readonly path: string;
  readonly lose: (loss: Loss) => void;
}

/** The users whose address is one of the addresses, or in one of the ranges of version 4. */
export function readAddresses(
  attribute: string,
  ranges: readonly string[],
  { path, lose }: AddressScope,
): Audience {
  const read = ranges.map((range): Audience => {
    const [first = '', prefix] = range.split('/');
    if (ipaddr.IPv4.isValidFourPartDecimal(first)) {
      const bits = prefix === undefined ? 32 : Number(prefix);
      const isRange = Number.isInteger(bits) && bits >= 0 && bits <= 32;
      const found = isRange ? rangePattern(first, bits) : undefined;
      if (found !== undefined) return bits === 32 ? oneOf(attribute, [first]) : pattern(attribute, found);
    } else if (!ipaddr.isValid(first)) {
      // Not an address: only an equal text is the same.
      return oneOf(attribute, [range]);
    }
    lose({
      code: 'rule-narrowed',
      path,
      message: `The range ${range.slice(0, 60)} cannot be expressed as a condition. Its users get the default variation.`,
      remedy: 'Decide membership in your code, and send the result as an attribute.',
    });
    return between(oneOf(attribute, [range]).sure, [[present(attribute)]]);
  });
  return anyOf(read);
}

/** A pattern for all addresses in a range, or undefined if it would be too long. */
function rangePattern(address: string, bits: number): string | undefined {
  const octets = address.split('.').map(Number);
  const parts = octets.map((octet, index) => {
    const own = Math.max(0, Math.min(8, bits - index * 8));
    if (own === 8) return String(octet);
    if (own === 0) return OCTET;
    const size = 2 ** (8 - own);
    const first = octet - (octet % size);
    return `(${Array.from({ length: size }, (_, at) => first + at).join('|')})`;
  });
  const source = `^${parts.join('\\.')}$`;
  return source.length <= 512 ? source : undefined;
}
