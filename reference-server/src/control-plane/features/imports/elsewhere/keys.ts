import { createHash } from 'node:crypto';

const KEY_MAX = 100;

/** A key of ours for a name of any form: `newCheckout.v2` becomes `new-checkout-v2`. */
export function toKey(name: string): string {
  const key = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, KEY_MAX)
    .replace(/^-+|-+$/g, '');
  return key === '' ? `unnamed-${digestOf(name)}` : key;
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

const VARIATION_KEY_MAX = 100;

/** Keys for variations, in their order: the wishes, made distinct. */
export function variationKeys(wishes: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return wishes.map((wish) => {
    const stem = wish.trim().slice(0, VARIATION_KEY_MAX - 4) || 'variation';
    let key = stem;
    for (let count = 2; used.has(key); count++) key = `${stem}-${count}`;
    used.add(key);
    return key;
  });
}
