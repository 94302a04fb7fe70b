import type { Context } from '@flagsvc/sdk-core';
import { loadRuleset, type Report, type Snapshot, toJson } from '@flagsvc/sdk-core/client';

/** Where flags are evaluated. Made by `remoteMode` or `localMode` and handed to the client. */
export interface EvaluationMode {
  /** What to ask, below the base address. With a body it is a POST, and the answer is for this context only. */
  request(context: Context): { readonly path: string; readonly body?: string };
  /** A ruleset made ready to answer; undefined when it is not whole. */
  load(
    data: unknown,
    report: Report,
  ): Pick<Snapshot, 'ruleset' | 'version' | 'exposes' | 'evaluateAll'> | undefined;
}

/**
 * The server evaluates: `POST /evaluate`, on the schedule of polling and with each new context. No rule ever reaches
 * the visitor, and the page does not carry the evaluator.
 */
export const remoteMode = (): EvaluationMode => ({
  request: (context) => ({ path: '/evaluate', body: toJson({ flags: ['*'], context }) }),
  load: () => undefined,
});

/**
 * The page evaluates: `GET /sdk/ruleset`, polled with `If-None-Match`. A new context is answered at once, and an
 * unchanged ruleset costs next to nothing; the rules of the flags that the key may see are in the visitor's hands.
 */
export const localMode = (): EvaluationMode => ({
  request: () => ({ path: '/sdk/ruleset' }),
  load: loadRuleset,
});
