import { NOT_FOUND } from '../evaluator/not-found.ts';
import type { Context, EvaluationResult } from '../protocol/protocol.ts';
import { isServable } from '../protocol/value-types.ts';
import type { ClientMachine } from './client-machine.ts';
import type { Report } from './errors.ts';
import type { Snapshot } from './ports.ts';

/** Decides between a variation's value and the caller's default value (CL-63). Nothing here throws. */
export type Serving = Pick<ClientMachine<Snapshot>, 'flag' | 'flagDetails' | 'evaluateAll'>;

/** Serves from what `current` gives at the time. */
export const createServing = (
  current: () => Pick<Snapshot, 'evaluate' | 'evaluateAll'> | undefined,
  count: (flagKey: string, result: EvaluationResult, context: Context) => void,
  report: Report,
): Serving => {
  // Not the error: it may quote the context.
  const fail = () => report('EVALUATION_FAILED', '');
  const flagDetails = (
    flagKey: string,
    context: Context,
    defaultValue: unknown,
    unseen?: boolean,
  ): EvaluationResult => {
    let result = NOT_FOUND;
    try {
      result = current()?.evaluate(flagKey, context) ?? NOT_FOUND;
      if (result.variation_key !== null && !isServable(result.value, defaultValue)) {
        // Who only looks may be rendering, and would not bear that a listener renders, too.
        if (!unseen) report('TYPE_MISMATCH', flagKey);
        result = { ...result, variation_key: null };
      }
      if (!unseen) count(flagKey, result, context);
    } catch {
      fail();
    }
    return result.variation_key === null ? { ...result, value: defaultValue as null } : result;
  };

  // The types of flags are a promise about the ruleset; what is served was checked against the default value.
  return {
    flag: (flagKey: string, context: Context, defaultValue: unknown) =>
      flagDetails(flagKey, context, defaultValue).value,
    flagDetails,
    evaluateAll(context) {
      let all: Record<string, EvaluationResult> | undefined;
      try {
        all = current()?.evaluateAll(context!);
      } catch {
        fail();
      }
      return all ?? Object.create(null);
    },
  } as Serving;
};
