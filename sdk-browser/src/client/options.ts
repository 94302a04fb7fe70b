import type { Context } from '@flagsvc/sdk-core';
import { CLIENT_DEFAULTS, type ClientOptions, demand, type Fault, toJson } from '@flagsvc/sdk-core/client';
import type { CreateStream } from '@flagsvc/sdk-core/stream';
import type { EvaluationMode } from './mode.ts';

/** Options of `createBrowserClient`. */
export interface BrowserClientOptions extends ClientOptions {
  /**
   * The user. `user_key` is required; for visitors without one, use a random key that you keep. At most 64 KiB of JSON
   * with remote evaluation.
   */
  readonly context: Context;
  /** Where flags are evaluated: `remoteMode()` or `localMode()`. Default `remoteMode()` (decisions/0017). */
  readonly mode?: EvaluationMode | undefined;
  /**
   * What to answer from until the first fetch succeeds, put into the page by your server; it wins over the cache.
   * Evaluations for this context, as `bootstrap` of a server's client or `POST /evaluate` gives them, or a ruleset for
   * `localMode()`.
   */
  readonly bootstrap?: unknown;
  /**
   * `streaming` of `@flagsvc/sdk-browser/streaming` keeps a stream open while the page is visible, in one tab for all
   * tabs, on which the server announces each change at once. Tabs poll whenever there is no stream. Default false; a
   * page that does not stream contains none of its code.
   */
  readonly streaming?: CreateStream | false | undefined;
  /** Keeps the last answer in localStorage, up to 1 MiB and 7 days. Default true. */
  readonly cache?: boolean | undefined;
  /**
   * Longest body of a batch of events, in characters. Default 15,000, so that four of them outlive the page; the
   * server takes 64 KiB.
   */
  readonly maxBatchLength?: number | undefined;
  /** Closes the client at once when it is aborted, as `close({ timeoutMs: 0 })` does. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each fault, once per outage; false logs nothing. Default: one line by `console.warn`. */
  readonly logger?: ((fault: Fault, text: string) => void) | false | undefined;
  /** Replaces the global `fetch`; must obey its signal. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Every option and its default. */
export const BROWSER_DEFAULTS: { readonly [Name in keyof BrowserClientOptions]-?: unknown } =
  /* @__PURE__ */ {
    ...CLIENT_DEFAULTS,
    maxBatchLength: 15_000,
    context: undefined,
    mode: undefined,
    streaming: undefined,
    cache: true,
    signal: undefined,
    logger: undefined,
    fetch: undefined,
  };

/** A copy by JSON, so that both modes see the same, and later changes of the original have no effect. */
export const copyContext = (context: Context): Context => {
  let copy: Context | undefined;
  try {
    copy = JSON.parse(toJson(context));
  } catch {
    // Not JSON: undefined, a cycle, a BigInt.
  }
  demand(typeof copy?.user_key === 'string', 'context', 'must be like { user_key: "u1" }');
  return copy!;
};
