import { Type } from 'typebox';
import type { ErrorCode } from '../../../http/errors.ts';
import { Id } from '../../../http/schemas.ts';
import type { FlagAddress } from './require-flag.ts';

export const FlagParams = Type.Object({ flag_id: Id });
export const EnvironmentQuery = Type.Object({ environment_id: Id });

export const KEY_ERRORS = [
  'FLAG_KEY_CONFLICT',
  'FLAG_KEY_PATTERN_MISMATCH',
  'DESCRIPTION_REQUIRED',
] as const satisfies readonly ErrorCode[];

export const VARIATION_ERRORS = [
  'VARIATION_COUNT_INVALID',
  'VARIATION_VALUE_TYPE_MISMATCH',
  'VARIATION_KEY_DUPLICATE',
  'DEFAULT_VARIATION_UNKNOWN',
] as const satisfies readonly ErrorCode[];

export const PREREQUISITE_ERRORS = [
  'PREREQUISITE_UNKNOWN',
  'PREREQUISITE_CYCLE',
  'PREREQUISITE_DEPTH',
] as const satisfies readonly ErrorCode[];

export const RULE_ERRORS = [
  'VARIATION_IN_USE',
  'RULE_TARGET_INVALID',
  'RULE_VARIATION_UNKNOWN',
  'RULE_ROLLOUT_EXCEEDS_100',
  'CONDITION_VALUE_INVALID',
  'REGEX_INVALID',
  'SEGMENT_UNKNOWN',
  ...PREREQUISITE_ERRORS,
] as const satisfies readonly ErrorCode[];

export const FLAG_NOT_FOUND = [
  'ENVIRONMENT_NOT_FOUND',
  'FLAG_NOT_FOUND',
] as const satisfies readonly ErrorCode[];

/** The flag and the environment that a request names. */
export function addressOf(request: {
  params: { flag_id: string };
  query: { environment_id: string };
}): FlagAddress {
  return { flagId: request.params.flag_id, environmentId: request.query.environment_id };
}
