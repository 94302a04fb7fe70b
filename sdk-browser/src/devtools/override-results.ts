import type { EvaluationResult, Json } from '@flagsvc/sdk-core';
import { type FlagDetails, isServable } from '@flagsvc/sdk-core/client';
import type { FlagOverrides } from './override-text.ts';

/** The variation key of overridden results. Their reason is `DEFAULT`, because the wire has none for overrides. */
const OVERRIDE_VARIATION = 'override';

/** The result that an override serves. */
export const toResult = (value: unknown): EvaluationResult =>
  Object.freeze({
    value: value as Json,
    reason: 'DEFAULT',
    rule_id: null,
    variation_key: OVERRIDE_VARIATION,
  });

/** Results by flag key. */
export const toResults = (overrides: FlagOverrides): Map<string, EvaluationResult> =>
  new Map(Object.entries(overrides).map(([flagKey, value]) => [flagKey, toResult(value)]));

/** The details of an overridden flag: the override, or the default value if their types differ. */
export const detailsOf = (result: EvaluationResult, defaultValue: unknown): FlagDetails<unknown> =>
  isServable(result.value, defaultValue) ? result : { ...result, value: defaultValue, variation_key: null };
