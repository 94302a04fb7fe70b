/** Rules for served values: the type of a flag, and the type of the caller's default value. */
import type { FlagType } from './protocol.ts';

/**
 * Whether a variation of a flag of this type may have the value (specification, "Feature flag", "Flag type meanings"). A `json` flag
 * serves objects and arrays, not scalars or null.
 */
export const isOfFlagType = (flagType: FlagType, value: unknown): boolean =>
  value !== null && typeof value === (flagType === 'json' ? 'object' : flagType);

/**
 * Whether a value may be served to a caller who passed this default value: both must have the same JSON type (arrays,
 * objects and null are three different types). A default of null or undefined accepts any value.
 */
export const isServable = (value: unknown, defaultValue: unknown): boolean =>
  defaultValue == null ||
  (value !== null &&
    typeof value === typeof defaultValue &&
    Array.isArray(value) === Array.isArray(defaultValue));

/** A value that has a text: a string, a boolean or a finite number. */
export type Scalar = string | number | boolean;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
