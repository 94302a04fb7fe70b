import type { Context, EvaluationResult, EventBatch, Ruleset } from '../protocol/protocol.ts';
import type { Fault, Report } from './errors.ts';

/**
 * The world, as the client machine sees it (decisions/0010): one object of small structural ports. The outer packages hand in the
 * real ones, tests the simulated ones of `@flagsvc/sdk-core/testing`.
 */
export interface Ports {
  readonly fetch: FetchLike;
  /** Makes what ends one request. */
  readonly newController: () => AbortControllerLike;
  readonly clock: Clock;
  readonly random: Random;
  readonly codec: Codec;
  readonly log: Logger;
  /** Names the client in events; `instance_id` must be unique to it. */
  readonly sdk: EventBatch['sdk'] & { readonly instance_id: string };
  /** What to answer from until the first fetch is through: a bootstrap, or what a cache had kept. */
  readonly saved: SavedPayload | undefined;
  /** Called after each swap with what was fetched, to keep it over a restart. Must not throw. */
  readonly save: (payload: SavedPayload) => void;
  /** What else drives the client: the process, the page, other tabs, a stream. */
  readonly lifecycles: readonly Lifecycle[];
}

/** The part of `fetch` that is used. Redirects are never followed, so that the key stays with its host. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchReply>;

export interface FetchInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
  readonly redirect: 'manual';
  /** True for events: they should outlive the page. */
  readonly keepalive: boolean;
  /** Must be obeyed while the body is read, too. */
  readonly signal: AbortSignalLike;
}

/** The part of `Response` that is used. */
export interface FetchReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Read by one of the two: a stream by its reader, what is read to its end chunk by chunk. */
  readonly body?: (Partial<AsyncIterable<Uint8Array>> & { getReader(): BodyReader }) | null;
  text(): Promise<string>;
}

export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

/** The part of `AbortController` that is used. */
export interface AbortControllerLike {
  readonly signal: AbortSignalLike;
  abort(): void;
}

/** The part of `AbortSignal` that is used. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface Clock {
  /** Milliseconds since 1970, UTC; may jump. Only for timestamps and for dates that a server names. */
  now(): number;
  /** Milliseconds since any fixed moment; never goes back. For every duration. */
  monotonic(): number;
  /**
   * Calls back once after the delay. A timer does not keep the process alive unless `hold` is true, which is so
   * only while somebody awaits its end.
   */
  setTimer(callback: () => void, delayMs: number, hold?: boolean): unknown;
  /** Forgets a timer; one that fired, or undefined, is ignored. */
  clearTimer(timer: unknown): void;
}

/** Evenly distributed, 0 inclusive to 1 exclusive; it spreads load and makes ids, it keeps no secret. */
export type Random = () => number;

/** Told of everything that goes wrong, once per outage; must not throw. Neither key nor user ever appears. */
export type Logger = (fault: Fault) => void;

/** How bodies are read and written. */
export interface Codec {
  /** The `Accept` header, asked anew for each request. */
  accept(): string;
  /**
   * The decoded body. Rejects with a RangeError when it is longer than `maxBytes`, and with a SyntaxError when it
   * cannot be decoded.
   */
  read(reply: FetchReply, maxBytes: number): Promise<unknown>;
  /**
   * Packs a JSON text for sending and may set headers for it. Absent, the text goes as it is, in the same turn of
   * the event loop.
   */
  write?(text: string, headers: Record<string, string>): Promise<string | Uint8Array>;
}

/** A payload that was fetched. */
export interface SavedPayload {
  /** The `data` of the answer, as it came. */
  readonly data: unknown;
  /** The entity tag it came with, byte for byte; null when there was none. */
  readonly tag: string | null;
}

/** Keeps the last good payload over a restart. Neither method throws or waits; what goes wrong is only reported. */
export interface RulesetCache {
  load(): SavedPayload | undefined;
  save(payload: SavedPayload): void;
}

/** What a lifecycle may do with its client. */
export interface LifecycleHandles {
  /**
   * Fetches, unless what is there, or what a fetch that is under way brings, has this entity tag. Resolves to the
   * tag of what is then there, null when it has none, undefined when the fetch failed or has to wait.
   */
  refresh(tag: string): Promise<string | null | undefined>;
  /** No request and no timer of its own, until `resume`. What is under way goes on to its end. */
  pause(): void;
  /** Goes on: fetches when it was planned, or at once if that is over. */
  resume(): void;
  /**
   * Takes a payload that came another way, as if it had been fetched; one with the tag of the last is that one
   * again, and needs no data. False when it was refused.
   */
  receive(payload: SavedPayload): boolean;
  /** The payload that answers now, to hand it on; undefined before there is one. */
  held(): SavedPayload | undefined;
  /** Plans the next fetch for then, instead of when it is due. */
  defer(delayMs: number): void;
  /**
   * Sends what is pending, trying each batch once. `lastChance` sends all batches at once, whatever they wait for
   * (decisions/0018). Never rejects.
   */
  flush(lastChance?: boolean): Promise<void>;
}

/** Connects a client to something that starts, stops or feeds it. Gives the function that disconnects. */
export type Lifecycle = (handles: LifecycleHandles) => () => void;

/**
 * Where answers come from: a ruleset that is evaluated here, or a server that evaluates. Handed in, so that a
 * client that evaluates remotely does not carry the evaluator.
 */
export interface RulesetSource<S extends Snapshot> {
  /** What to ask, below the base address. With a body it is a POST of JSON. Must not throw. */
  request(): { readonly path: string; readonly body?: string };
  /** A payload made ready to answer; undefined when it is not whole. May throw, which is the same. */
  load(data: unknown, report: Report): S | undefined;
  /** Keys of the flags that answer differently in `next`; without `previous`, of all flags. */
  changes(previous: S | undefined, next: S): readonly string[];
}

/** One payload, ready to answer. Swapped as a whole, never changed. */
export interface Snapshot {
  /** What is evaluated here; undefined where the server evaluates. */
  readonly ruleset?: Ruleset | undefined;
  /** Version of the ruleset; null when there is none to name. */
  readonly version: number | null;
  /**
   * Pure and total; the same outcome of a flag is the same object for the snapshot's life. Undefined for a flag that
   * is not there is as good as a result that says so.
   */
  evaluate(flagKey: string, context: Context): EvaluationResult | undefined;
  /** Every flag, keyed by flag key. */
  evaluateAll(context: Context): Record<string, EvaluationResult>;
  /** Whether single exposures of this flag are reported. */
  exposes(flagKey: string): boolean;
}
