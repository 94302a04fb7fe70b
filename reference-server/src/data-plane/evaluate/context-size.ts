import type { Context } from '@flagsvc/sdk-core';
import { limitExceeded } from '../../http/errors.ts';

/** Maximum number of attributes of one context. */
export const ATTRIBUTES_MAX = 1_000;
/** Maximum number of items of one attribute. Every condition on the attribute reads them all. */
export const LIST_ITEMS_MAX = 1_000;
/** Maximum number of characters of a user key. Every percentage rollout hashes it. */
export const USER_KEY_LENGTH_MAX = 4_096;

/** The name of an attribute with too many items; undefined if there is none. */
export function findLongList(attributes: Context['attributes'] = {}): string | undefined {
  for (const name in attributes) {
    const value: unknown = attributes[name];
    if (Array.isArray(value) && value.length > LIST_ITEMS_MAX) return name;
  }
  return undefined;
}

/** Throws LIMIT_EXCEEDED if an attribute has too many items. */
export function requireShortLists({ attributes }: Context): void {
  const name = findLongList(attributes);
  if (name === undefined) return;
  throw limitExceeded({ limit: 'items', maximum: LIST_ITEMS_MAX, field: `context.attributes.${name}` });
}
