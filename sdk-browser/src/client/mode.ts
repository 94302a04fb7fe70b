import type { Context } from '@flagsvc/sdk-core';
import { loadRuleset, type Report, type Snapshot, toJson } from '@flagsvc/sdk-core/client';

/** Where flags are evaluated: the value of the option `mode`, created by `remoteMode` or `localMode`. */
export interface EvaluationMode {
  /** The request, with its path below the base address. With a body it is a POST, answered for this context only. */
  request(context: Context): { readonly path: string; readonly body?: string };
  /** Prepares a ruleset for evaluation; undefined if the data is not a ruleset. */
  load(
    data: unknown,
    report: Report,
  ): Pick<Snapshot, 'ruleset' | 'version' | 'exposes' | 'evaluateAll'> | undefined;
}

/**
 * The server evaluates: `POST /evaluate` at each poll and for each new context. The page downloads no rules and does not
 * contain the evaluator.
 */
export const remoteMode = (): EvaluationMode => ({
  request: (context) => ({ path: '/evaluate', body: toJson({ flags: ['*'], context }) }),
  load: () => undefined,
});

/**
 * The page evaluates: `GET /sdk/ruleset`, polled with `If-None-Match`. A new context is answered at once, and an
 * unchanged ruleset costs next to nothing. The page downloads the rules of all flags that the key may see.
 */
export const localMode = (): EvaluationMode => ({
  request: () => ({ path: '/sdk/ruleset' }),
  load: loadRuleset,
});
