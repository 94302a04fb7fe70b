import type { Context } from '@flagsvc/sdk-core';

/** A user key that looks random, like one from a cookie. */
const keyOf = (number: number): string => {
  let bits = Math.imul(number, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  return ((bits ^ (bits >>> 13)) >>> 0).toString(36);
};

/** The hundred visitors of the grid. */
export const visitors: readonly Context[] = Array.from({ length: 100 }, (_, at) => ({
  user_key: keyOf(at + 1),
  attributes: { locale: 'nl-NL' },
}));

/** The number of the visitor who uses this page. */
export const MY_NUMBER = 36;
export const me: Context = visitors[MY_NUMBER - 1]!;
