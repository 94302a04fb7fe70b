import { NOT_FOUND } from '../evaluator/not-found.ts';
import type { Context, EvaluationResult, Json } from '../protocol/protocol.ts';
import { isServable } from '../protocol/value-types.ts';
import type { ContextClient } from './client-machine.ts';
import type { Report } from './errors.ts';
import type { Snapshot } from './ports.ts';

/** The source of flag results: a snapshot of the client, or the evaluations of a bootstrap. */
export type Answers = Pick<Snapshot, 'evaluate' | 'evaluateAll'>;

/** Reads flags. Nothing here throws. */
export interface FlagReader extends Pick<ContextClient, 'flag' | 'flagDetails'> {
  /** The context may be omitted if the answers are for one context only. */
  evaluateAll(context?: Context): Record<string, EvaluationResult>;
}

/**
 * Reads flags for an application. Serves a result, or the caller's default value if there is no variation or its type
 * differs from the default value's (CL-63). `answers` returns the source at the time of the call; code that changes
 * answers, such as overrides, wraps `answers`. `count` records each use.
 */
export const createFlagReader = (
  answers: () => Answers | undefined,
  count: (flagKey: string, result: EvaluationResult, context: Context) => void,
  report: Report,
): FlagReader => {
  const flagDetails = (flagKey: string, context: Context, defaultValue: unknown): EvaluationResult => {
    let result = NOT_FOUND;
    try {
      result = answers()?.evaluate(flagKey, context) ?? NOT_FOUND;
      if (result.variation_key !== null && !isServable(result.value, defaultValue)) {
        report('TYPE_MISMATCH', flagKey);
        result = { ...result, variation_key: null };
      }
      count(flagKey, result, context);
    } catch {
      // The error itself is not reported, because its message may quote the context.
      report('EVALUATION_FAILED', '');
    }
    return result.variation_key === null ? { ...result, value: defaultValue as Json } : result;
  };

  // The declared types of flags are trusted; values were checked against the default value at run time.
  return {
    flag: (flagKey: string, context: Context, defaultValue: unknown) =>
      flagDetails(flagKey, context, defaultValue).value,
    flagDetails,
    evaluateAll(context?: Context) {
      let all: Record<string, EvaluationResult> | undefined;
      try {
        all = answers()?.evaluateAll(context!);
      } catch {
        report('EVALUATION_FAILED', '');
      }
      return all ?? Object.create(null);
    },
  } as FlagReader;
};
