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
   * Initial values, put into the page by your server; they answer until the first fetch succeeds, and win over the
   * cache. Evaluations for this context: the result of `client.bootstrap(…)` in a server SDK, or the `data` of the
   * answer to `POST /evaluate`. For `localMode()`, a ruleset. Default: none.
   */
  readonly bootstrap?: unknown;
  /**
   * `streaming` of `@flagsvc/sdk-browser/streaming` opens a stream, on which the server announces each change at once.
   * One visible tab keeps it open for all tabs. Tabs poll whenever there is no stream. Default false; a page that does
   * not stream does not contain the code for it.
   */
  readonly streaming?: CreateStream | false | undefined;
  /** Keeps the last answer in localStorage, up to 1 MiB and 7 days. Default true. */
  readonly cache?: boolean | undefined;
  /**
   * Maximum length of a batch of events, in characters. Default 15,000, so that four batches outlive the page; the server
   * accepts 64 KiB.
   */
  readonly maxBatchLength?: number | undefined;
  /** Closes the client at once when aborted, as `close({ timeoutMs: 0 })` does. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each fault, once per outage; false logs nothing. Default: writes one line with `console.warn`. */
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

/**
 * A copy converted to JSON and back, so that both modes use the same values and later changes of the original have no
 * effect.
 */
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
