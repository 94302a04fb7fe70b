import type { Json } from '../protocol/protocol.ts';
import { isRecord } from './ruleset.ts';

/** A deeply frozen copy of a JSON value. Never calls `toJSON`, which some pages add to built-in prototypes. */
export const frozenCopy = (value: Json): Json => {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  if (!isRecord(value)) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, field]) => [name, frozenCopy(field as Json)])),
  );
};
