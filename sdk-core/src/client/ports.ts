import type { Context, EvaluationResult, Ruleset } from '../protocol/protocol.ts';
import type { Fault, Report } from './errors.ts';

/**
 * Everything the client machine uses of its runtime (decisions/0010): one object of small structural ports. The SDK
 * packages supply real ports; tests use the simulated ports of `@flagsvc/sdk-core/testing`.
 */
export interface Ports extends BodyDecoder {
  readonly fetch: FetchLike;
  /** Creates the controller that aborts one request. */
  readonly newController: () => AbortControllerLike;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly sdk: SdkIdentity;
  /** The payload to serve flags from until the first fetch succeeds: a bootstrap, or a payload from a cache. */
  readonly saved: SavedPayload | undefined;
  /** Saves each fetched payload for the next start, once the client uses the payload. Must not throw. */
  readonly save?: (payload: SavedPayload) => void;
  /**
   * Called with the status and headers of each poll's reply, before the reply is used. The status is 0 without a
   * reply. Must not throw.
   */
  readonly polled?: (status: number, header?: (name: string) => string | null | undefined) => void;
  /** Connects the client to the process, the page, other clients or a stream. */
  readonly connect: Lifecycle;
}

/** Identifies the client in batches of events. */
export interface SdkIdentity {
  readonly name: string;
  readonly version: string;
  /** Unique to this client. */
  readonly instance_id: string;
  /** The application's name. */
  readonly app?: string | undefined;
}

/** The part of `fetch` that is used. Redirects are never followed, so that the key stays with its host. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchReply>;

/** The part of `RequestInit` that is used. */
export interface FetchInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body: string | ArrayBuffer | undefined;
  readonly redirect: 'manual';
  /** True for requests that contain events, which should outlive the page. */
  readonly keepalive: boolean;
  /** Must also be obeyed while the body is read. */
  readonly signal: AbortSignalLike;
}

/** The part of `Response` that is used. */
export interface FetchReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** A stream of events is read with `getReader`; any other body is iterated chunk by chunk. */
  readonly body?: (Partial<AsyncIterable<Uint8Array>> & { getReader(): BodyReader }) | null;
  text(): Promise<string>;
}

/** The part of `ReadableStreamDefaultReader` that is used. */
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

/** Time and timers. */
export interface Clock {
  /** Milliseconds since 1970, UTC; may jump. Used only for timestamps and for dates set by a server. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes backwards. Used for every duration. */
  monotonic(): number;
  /** Calls back once after the delay. With `hold` the timer keeps the process alive. Default false. */
  setTimer(callback: () => void, delayMs: number, hold?: boolean): unknown;
  /** Cancels a timer. Does nothing for undefined and for a timer that has fired. */
  clearTimer(timer: unknown): void;
}

/** Uniformly distributed, from 0 up to but excluding 1. It spreads load and makes ids; it need not be secret. */
export type Random = () => number;

/** Called with each fault, once per outage. Must not throw. A fault never quotes the key or a user. */
export type Logger = (fault: Fault) => void;

/** Reads the bodies of replies. */
export interface BodyDecoder {
  /** The `Accept` header of the next request. */
  accept(): string;
  /** The decoded body. Rejects with a RangeError if it exceeds `maxBytes`, with a SyntaxError if it is malformed. */
  decode(reply: FetchReply, maxBytes: number): Promise<unknown>;
}

/** A fetched payload. */
export interface SavedPayload {
  /** The `data` of the answer, unchanged. */
  readonly data: unknown;
  /** The entity tag it came with, byte for byte; null when there was none. */
  readonly tag: string | null;
}

/** Keeps the last good payload across restarts. Neither method throws or waits. */
export interface RulesetCache {
  load(): SavedPayload | undefined;
  save(payload: SavedPayload): void;
}

/** The calls that a lifecycle may make to its client. */
export interface LifecycleHandles {
  /** Fetches now, or joins a fetch in flight. Resolves to true if it succeeded; never rejects. */
  poll(): Promise<unknown>;
  /** Resolves when no fetch is in flight. */
  idle(): Promise<unknown>;
  /** Stops timers and further requests until `resume`. Requests in flight continue. */
  pause(): void;
  /** Ends a pause: fetches at the planned time, or now if that time has passed. */
  resume(): void;
  /**
   * Uses a payload from a stream or another client as if it had been fetched. A payload with the tag of the current
   * payload confirms the current payload; its `data` may be undefined. Returns false if the payload was refused.
   */
  receive(payload: SavedPayload): boolean;
  /** The current payload; undefined before there is one. */
  held(): SavedPayload | undefined;
  /** Replaces the planned time of the next fetch. */
  defer(delayMs: number): void;
  /** Tries each pending batch once. Never rejects. */
  flush(): Promise<void>;
  /** Sends all batches at once, ignoring their waits, because the page may be about to close. Never rejects. */
  flushAtOnce(): Promise<unknown>;
}

/** Connects a client to something that pauses, resumes or feeds it. Returns the function that disconnects. */
export type Lifecycle = (handles: LifecycleHandles) => () => void;

/**
 * The source of a client's answers: a ruleset that is evaluated locally, or a server that evaluates the flags. It is
 * passed in, so that a client with remote evaluation does not contain the evaluator.
 */
export interface RulesetSource<S extends Snapshot> {
  /** The request, whose path is below the base address. With a body, it is a POST of JSON. Must not throw. */
  request(): { readonly path: string; readonly body?: string };
  /** Prepares a payload for answering. Returns undefined or throws if the payload is unusable. */
  load(data: unknown, report: Report): S | undefined;
  /** Keys of the flags whose answers differ between the two snapshots; without `previous`, of all flags. */
  changes(previous: S | undefined, next: S): readonly string[];
}

/** One payload, prepared for evaluation. Immutable; a new payload replaces the whole snapshot. */
export interface Snapshot {
  /** The ruleset that is evaluated; undefined if the server evaluates the flags. */
  readonly ruleset?: Ruleset | undefined;
  /** Version of the ruleset; null if it is unknown. */
  readonly version: number | null;
  /**
   * The flag's result. Pure; never throws. Equal outcomes of a flag are the same object within a snapshot. For an
   * unknown flag, it is undefined or has the reason FLAG_NOT_FOUND.
   */
  evaluate(flagKey: string, context: Context): EvaluationResult | undefined;
  /** Every flag's result, by flag key. */
  evaluateAll(context: Context): Record<string, EvaluationResult>;
  /**
   * What the rule assigns, `user_key` or an attribute, if the flag's exposures are reported one by one. Otherwise false
   * or undefined.
   */
  exposes(flagKey: string, ruleId: string | null): string | false | undefined;
  /** The attributes whose units rules assign, without `user_key`. In a damaged ruleset they may be any value. */
  readonly units: Iterable<unknown>;
}
