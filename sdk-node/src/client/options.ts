// Projects for older targets, and those without the types of Node, would not know `AsyncDisposable`.
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

/** What a client for servers is created with, wherever it runs. */
export interface ServerClientOptions extends ClientOptions {
  /** The first fetch starts at random within this time, so that a fleet does not arrive together. Default 0. */
  readonly startJitterMs?: number | undefined;
  /**
   * `streaming` of `@flagsvc/sdk-node/streaming` keeps a stream open, by which the server tells of a change at once.
   * Polling goes on whenever there is no stream. Default false.
   */
  readonly streaming?: CreateStream | false | undefined;
  /** Told of everything that goes wrong, once per outage; false tells nobody. Default: a line by `console.warn`. */
  readonly logger?: ((fault: Fault, text: string) => void) | false | undefined;
  /** Used instead of the built-in way to fetch; must obey its signal. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Closes the client when it is aborted, without a last flush. */
  readonly signal?: AbortSignal | undefined;
}

/** What `createNodeClient` takes. */
export interface NodeClientOptions extends Omit<ServerClientOptions, 'streaming'> {
  /**
   * True keeps a stream open, by which the server tells of a change at once; its code is loaded when it is needed.
   * `streaming` of `@flagsvc/sdk-node/streaming` does the same. Polling goes on whenever there is no stream. Default
   * false.
   */
  readonly streaming?: CreateStream | boolean | undefined;
  /**
   * How the ruleset travels: `json`, or `msgpack` to save bytes at the price of slower decoding; what
   * a server answers in JSON is read as JSON. Default `json`.
   */
  readonly format?: 'json' | 'msgpack' | undefined;
  /** Directory where the last good ruleset survives a restart, one file per key and address. Default: none. */
  readonly cacheDir?: string | undefined;
  /**
   * True lets one client fetch, and stream, for all of this machine's user that have this key, address and
   * `cacheDir`: in worker threads, in the processes of a cluster, or in others. Events stay each client's own. Where
   * that cannot be done, as on Windows, each fetches for itself (decisions/0015). Default false.
   */
  readonly shared?: boolean | undefined;
  /** Sends what is pending when the process gets SIGTERM, for at most 2 s, then ends it as if unheard. Default false. */
  readonly flushOnSigterm?: boolean | undefined;
}

/** A client for many users, each given by a context. Evaluation never waits and never throws. */
export interface NodeClient extends ContextClient, BootstrapClient, AsyncDisposable {
  /** What `flag` decides and why, rule by rule; undefined before there is a ruleset. Not counted as use. */
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
/** A function, since bundlers keep an object that spreads another, and the edge does not need this one. */
const nodeDefaults = () => ({
  ...SERVER_DEFAULTS,
  format: 'json',
  cacheDir: '',
  shared: false,
  flushOnSigterm: false,
});

/** Options with their defaults, of a runtime without Node's built-ins. */
export const parseServerOptions = (
  options: ServerClientOptions,
): ReturnType<typeof parseOptions<ServerClientOptions>> => {
  const parsed = parseOptions(options, SERVER_DEFAULTS);
  const { streaming } = parsed;
  demand(
    !streaming || typeof streaming === 'function',
    'streaming',
    'must be that of @flagsvc/sdk-node/streaming',
  );
  return parsed;
};

/** The same for Node. */
export const parseNodeOptions = (
  options: NodeClientOptions,
): ReturnType<typeof parseOptions<NodeClientOptions>> => {
  const parsed = parseOptions(options, nodeDefaults());
  const { format, streaming } = parsed;
  demand(format === 'json' || format === 'msgpack', 'format', 'must be json or msgpack');
  const isGood = !streaming || streaming === true || typeof streaming === 'function';
  demand(isGood, 'streaming', 'must be true, or that of @flagsvc/sdk-node/streaming');
  return parsed;
};
