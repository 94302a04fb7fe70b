import type { Context } from '@flagsvc/sdk-core';
import { CLIENT_DEFAULTS, type ClientOptions, demand, type Fault, toJson } from '@flagsvc/sdk-core/client';
import type { CreateStream } from '@flagsvc/sdk-core/stream';
import type { EvaluationMode } from './mode.ts';

/** What `createBrowserClient` takes. */
export interface BrowserClientOptions extends ClientOptions {
  /**
   * Who the flags are for. `user_key` is required; use a random one that you keep for visitors without a name. Up to
   * 64 KiB of JSON where flags are evaluated remotely.
   */
  readonly context: Context;
  /** Where flags are evaluated: `remoteMode()` or `localMode()`. Default `remoteMode()` (decisions/0017). */
  readonly mode?: EvaluationMode | undefined;
  /**
   * What to answer from until the first fetch is through, put into the page by your server; it wins over the cache:
   * for this context, as `bootstrap` of a server's client or `POST /evaluate` gives it, or a ruleset for `localMode()`.
   */
  readonly bootstrap?: unknown;
  /**
   * Hand in `streaming` of `@flagsvc/sdk-browser/streaming` to keep a stream open while the page is visible, in one
   * tab for all tabs: the server announces a change at once. Polling takes over whenever the stream is down. Default
   * false; a page that does not stream carries none of its code.
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
  /** Told of everything that goes wrong, once per outage; false tells nobody. Default: a line by `console.warn`. */
  readonly logger?: ((fault: Fault, text: string) => void) | false | undefined;
  /** Used instead of the global `fetch`; must obey its signal. */
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

/** What travels as JSON, so that both modes see the same and later changes of the original do not count. */
export const copyContext = (context: Context): Context => {
  let copy: Context | undefined;
  try {
    copy = JSON.parse(toJson(context));
  } catch {
    // A cycle or a BigInt, or nothing at all.
  }
  demand(typeof copy?.user_key === 'string', 'context', 'must be JSON like { user_key: "u1" }');
  return copy!;
};
