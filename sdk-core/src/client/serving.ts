import type { Context, EvaluationResult } from '../protocol.ts';
import type { ClientMachine } from './client-machine.ts';
import type { Report } from './errors.ts';
import type { Snapshot } from './ports.ts';

/** Decides between a variation's value and the caller's default value (decision 0022). Nothing here throws. */
export interface Serving extends Pick<ClientMachine<Snapshot>, 'flag' | 'flagDetails'> {
  /** Later questions are answered by this snapshot. */
  use(snapshot: Snapshot): void;
}

/** The answer to every question before there is a snapshot. */
const NOTHING: EvaluationResult = {
  value: null,
  reason: 'FLAG_NOT_FOUND',
  rule_id: null,
  variation_key: null,
};

export const createServing = (
  count: (flagKey: string, result: EvaluationResult, context: Context) => void,
  report: Report,
): Serving => {
  let evaluate: Snapshot['evaluate'] = () => NOTHING;
  /** For each result of a type that did not fit, the one that says so: made once, since counters go by identity. */
  const refused = new WeakMap<EvaluationResult, EvaluationResult>();

  const refuse = (flagKey: string, result: EvaluationResult): EvaluationResult => {
    report('TYPE_MISMATCH', flagKey);
    if (!refused.has(result)) refused.set(result, { ...result, value: null, variation_key: null });
    return refused.get(result)!;
  };
  /** What is served; a result without variation key stands for the default value. */
  const serve = (
    flagKey: string,
    context: Context,
    defaultValue: unknown,
    unseen?: boolean,
  ): EvaluationResult => {
    let result = NOTHING;
    try {
      result = evaluate(flagKey, context);
      if (result.variation_key !== null && !fits(result.value, defaultValue))
        result = refuse(flagKey, result);
      if (!unseen) count(flagKey, result, context);
    } catch {
      // Not the error: it may quote the context.
      report('EVALUATION_FAILED', '');
    }
    return result;
  };

  // The types of flags are a promise about the ruleset; what is served was checked against the default value.
  return {
    use(snapshot: Snapshot) {
      evaluate = snapshot.evaluate;
    },
    flag(flagKey: string, context: Context, defaultValue: unknown) {
      const result = serve(flagKey, context, defaultValue);
      return result.variation_key === null ? defaultValue : result.value;
    },
    flagDetails(flagKey: string, context: Context, defaultValue: unknown, unseen?: boolean) {
      const result = serve(flagKey, context, defaultValue, unseen);
      return result.variation_key === null ? { ...result, value: defaultValue } : result;
    },
  } as Serving;
};

/**
 * Whether a value may stand in for a default value: the same type, where null, arrays and other objects are three
 * types. A default of null or undefined states no type.
 */
const fits = (value: unknown, defaultValue: unknown): boolean =>
  defaultValue == null ||
  (value !== null &&
    typeof value === typeof defaultValue &&
    Array.isArray(value) === Array.isArray(defaultValue));
