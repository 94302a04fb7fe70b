// Declares `AsyncDisposable` for projects with older targets or without the types of Node.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Context, Explanation } from '@flagsvc/sdk-core';
import {
  type BootstrapClient,
  CLIENT_DEFAULTS,
  type ClientOptions,
  type ContextClient,
  demand,
  type Fault,
  parseOptions,
} from '@flagsvc/sdk-core/client';
import type { CreateStream } from '@flagsvc/sdk-core/stream';

/** Options of a client for servers, in any runtime. */
export interface ServerClientOptions extends ClientOptions {
  /** The first fetch starts at a random moment within this time, so that a fleet spreads its requests. Default 0 ms. */
  readonly startJitterMs?: number | undefined;
  /**
   * `streaming` of `@flagsvc/sdk-node/streaming` keeps a stream open, on which the server announces each change at
   * once. The client polls whenever there is no stream. Default false.
   */
  readonly streaming?: CreateStream | false | undefined;
  /** Called with each fault, once per outage; false logs nothing. Default: writes one line with `console.warn`. */
  readonly logger?: ((fault: Fault, text: string) => void) | false | undefined;
  /** Replaces the global `fetch`; must obey its signal. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Closes the client when aborted, without a last flush. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `createNodeClient`. */
export interface NodeClientOptions extends Omit<ServerClientOptions, 'streaming'> {
  /**
   * True keeps a stream open, on which the server announces each change at once; its code is loaded when needed.
   * `streaming` of `@flagsvc/sdk-node/streaming` does the same. The client polls whenever there is no stream.
   * Default false.
   */
  readonly streaming?: CreateStream | boolean | undefined;
  /**
   * Format of the ruleset on the wire. `msgpack` saves bytes but decodes more slowly; JSON answers are
   * read in any case. Default `json`.
   */
  readonly format?: 'json' | 'msgpack' | undefined;
  /** Directory that keeps the last good ruleset across restarts, one file per key and address. Default: none. */
  readonly cacheDir?: string | undefined;
  /**
   * True lets one client poll and stream for all clients of this user on this machine with the same key, address and
   * `cacheDir`, in worker threads, cluster workers or other processes. Each client sends its own events. If sharing is
   * impossible, as on Windows, each client polls on its own (decisions/0015). Default false.
   */
  readonly shared?: boolean | undefined;
  /** True sends pending events on SIGTERM, for at most 2 s; then the signal has its usual effect. Default false. */
  readonly flushOnSigterm?: boolean | undefined;
}

/** A client for many users, each given by a context. Evaluation never waits and never throws. */
export interface NodeClient extends ContextClient, BootstrapClient, AsyncDisposable {
  /** Explains the result of a flag, rule by rule; undefined before there is a ruleset. Does not count as use. */
  explain(flagKey: string, context: Context): Explanation | undefined;
}

const SERVER_DEFAULTS = {
  ...CLIENT_DEFAULTS,
  startJitterMs: 0,
  streaming: undefined,
  logger: undefined,
  fetch: undefined,
  signal: undefined,
};
/** A function, so that bundles for the edge can drop it: bundlers keep an object with a spread even if it is unused. */
const nodeDefaults = () => ({
  ...SERVER_DEFAULTS,
  format: 'json',
  cacheDir: '',
  shared: false,
  flushOnSigterm: false,
});

/** Options with their defaults, for runtimes without Node's built-ins. */
export const parseServerOptions = (
  options: ServerClientOptions,
): ReturnType<typeof parseOptions<ServerClientOptions>> => parseOptions(options, SERVER_DEFAULTS);

/** Options with their defaults, for Node. `loadStreaming` replaces `streaming: true`. */
export const parseNodeOptions = (
  options: NodeClientOptions,
  loadStreaming: CreateStream,
): ReturnType<typeof parseOptions<Omit<NodeClientOptions, 'streaming'> & ServerClientOptions>> => {
  const { streaming } = options ?? {};
  const isStreaming = !streaming || streaming === true || typeof streaming === 'function';
  demand(isStreaming, 'streaming', 'must be true, or the export streaming of @flagsvc/sdk-node/streaming');
  const parsed = parseOptions(
    { ...options, streaming: streaming === true ? loadStreaming : streaming },
    nodeDefaults(),
  );
  demand(parsed.format === 'json' || parsed.format === 'msgpack', 'format', 'must be json or msgpack');
  return parsed;
};
