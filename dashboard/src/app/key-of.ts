const KEY_MAX = 100;

/** A key made from a name: `New checkout: step 2` is `new-checkout-step-2`. */
export function keyOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, KEY_MAX)
    .replace(/^-+|-+$/g, '');
}
