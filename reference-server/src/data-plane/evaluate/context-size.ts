import type { Context } from '@flagsvc/sdk-core';
import { limitExceeded } from '../../http/errors.ts';

/** Attributes of one context. */
export const ATTRIBUTES_MAX = 1_000;
/** Items of one attribute: every condition that asks for it reads them all. */
export const LIST_ITEMS_MAX = 1_000;
/** Characters of a user key: it is hashed for every percentage rollout. */
export const USER_KEY_LENGTH_MAX = 4_096;

/** The name of an attribute with too many items; undefined when there is none. */
export function findLongList(attributes: Context['attributes'] = {}): string | undefined {
  for (const name in attributes) {
    const value: unknown = attributes[name];
    if (Array.isArray(value) && value.length > LIST_ITEMS_MAX) return name;
  }
  return undefined;
}

/** Throws LIMIT_EXCEEDED for it. */
export function requireShortLists({ attributes }: Context): void {
  const name = findLongList(attributes);
  if (name === undefined) return;
  throw limitExceeded({ limit: 'items', maximum: LIST_ITEMS_MAX, field: `context.attributes.${name}` });
}
