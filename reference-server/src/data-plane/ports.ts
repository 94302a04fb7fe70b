/**
 * What the data plane and its host give each other. A host (this server, a relay) implements `RulesetLookup` and
 * `EventSink`, prepares its rulesets with a `ServingPath`, and registers `dataPlanePlugin`.
 */

import type { IncomingMessage } from 'node:http';
import type { Context, Evaluator, EventBatch, Ruleset } from '@flagsvc/sdk-core';
import type { FastifyInstance } from 'fastify';
import type { CountAnswer } from '../http/answer-metrics.ts';
import type { BodyCoding, BodyType } from '../http/negotiate.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { KeyRateLimits } from '../http/rate-limits.ts';
import type { RequestKind } from '../http/shed-load.ts';
import type { Steps } from './evaluate/heavy-work.ts';
import type { ExcessiveWork } from './evaluate/pattern-work.ts';

export type { BodyCoding, BodyType };

/** What an API key may see. `client` keys see only flags marked `client_side`; `relay` keys may open relay streams. */
export type KeyKind = 'server' | 'client' | 'relay';

/** What an API key grants. */
export interface KeyGrant {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly environmentId: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** Origins from which a browser may use the key; absent or empty: any. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Addresses and CIDR ranges from which the key may be used; absent or empty: any. */
  readonly allowedIps?: readonly string[] | undefined;
  /** Limits of the key's own; absent: those of the server. */
  readonly rateLimits?: KeyRateLimits | undefined;
}

/**
 * The host's first port: API keys and rulesets. Its methods answer from memory; they return a promise only when they
 * have to wait for something else.
 */
export interface RulesetLookup {
  /**
   * What the key grants; undefined when it is unknown, expired or revoked. Calls `beforeQuery` before it starts a
   * query. If `beforeQuery` throws, `authenticate` throws the same error and does not query.
   */
  authenticate(
    apiKey: string,
    beforeQuery?: () => void,
  ): KeyGrant | undefined | Promise<KeyGrant | undefined>;
  /**
   * Does the same as `authenticate`, but only for keys in memory, and never queries. Absent: the fast path leaves all
   * polls to the route.
   */
  recall?(apiKey: string): KeyGrant | undefined;
  /** The ruleset that the key sees: never older than the last change acknowledged before the call. */
  current(grant: KeyGrant): PublishedRuleset | Promise<PublishedRuleset>;
  /** Calls `listener` after each new version of the environment. Returns a function that stops it. */
  subscribe(environmentId: string, listener: (notice: RulesetNotice) => void): () => void;
  /** Calls `listener` as `KeyWatcher` says. Returns a function that stops it. Absent: streams check their keys once a minute. */
  watchKeys?(listener: KeyWatcher): () => void;
  /**
   * Whether a key that no longer authenticates was rotated and lives on under a new secret. Absent: streams report every
   * ended key as revoked.
   */
  isRotated?(grant: KeyGrant): boolean | Promise<boolean>;
}

/**
 * Receives the id of each key that was revoked or changed, and its environment; undefined when this may be true of any
 * key, or of a key in any environment.
 */
export type KeyWatcher = (keyId: string | undefined, environmentId?: string) => void;

/** What a relay may know about an API key. */
export interface KeyState {
  readonly grant: KeyGrant;
  /** ISO 8601 UTC; null: never. For the old secret of a rotated key, the end of its grace period. */
  readonly expiresAt: string | null;
  /** False once the key has expired. */
  readonly isUsable: boolean;
}

/** The host's optional port that tells relays about API keys. */
export interface KeyDirectory extends Pick<RulesetLookup, 'isRotated'> {
  /** The state of a key; undefined when it is unknown or revoked. */
  describe(apiKey: string): Promise<KeyState | undefined>;
}

/** A new version that is already served. */
export interface RulesetNotice {
  readonly environmentId: string;
  readonly version: number;
  readonly etag: string;
  /** Keys of the flags that differ from the previous version, at most 100; empty when unknown. */
  readonly changedFlags: readonly string[];
  /** When this process learned of the change, on the clock of `performance.now()`. Absent: now. */
  readonly since?: number | undefined;
}

/** How rulesets are prepared and answered: the plain path or the fast path. Both give the same bytes. */
export interface ServingPath {
  /** Makes a compiled ruleset ready to serve. `previous` is the version before it, whose parts the fast path reuses. */
  prepare(ruleset: Ruleset, epoch: string, previous?: PublishedRuleset): Promise<PublishedRuleset>;
  /** Answers unchanged polls before Fastify sees them. Call it once, after all routes and hooks. Absent: not supported. */
  answerPolls?(app: FastifyInstance, options: PollOptions): void;
}

/** What `ServingPath.answerPolls` needs. */
export interface PollOptions {
  /** The path of `GET /sdk/ruleset`. */
  readonly path: string;
  readonly lookup: Pick<RulesetLookup, 'recall' | 'current'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Whether the server is too overloaded for a request of this kind. Absent: never. */
  readonly isTooMuch?: ((kind: RequestKind) => boolean) | undefined;
  /** Counts answers that no hook of the app sees. Absent: they are not counted. */
  readonly count?: CountAnswer | undefined;
  /** Called with each request that no hook of the app sees, and the time when its answer began. Absent: nothing. */
  readonly observe?: ((request: IncomingMessage, startedAt: number) => void) | undefined;
}

/**
 * One version of an environment's ruleset, as one kind of key sees it. Immutable. Made by `ServingPath.prepare`; hosts
 * never implement it.
 */
export interface PublishedRuleset {
  readonly environmentId: string;
  /** Together with `version`, identifies the contents; changes when a backup is restored. */
  readonly epoch: string;
  readonly version: number;
  /** The value of `ETag`, quotes included. Derived from everything except `fetched_at`. */
  readonly etag: string;
  /** SHA-256 of the canonical JSON without `fetched_at`; computed when needed. */
  digest(): Promise<Uint8Array>;
  readonly evaluator: Evaluator;
  /** Length of the uncompressed JSON body of GET /sdk/ruleset, in bytes. */
  readonly jsonBytes: number;
  /** The body of GET /sdk/ruleset, envelope included; made on first use. */
  body(type: BodyType, coding: BodyCoding): Uint8Array | Promise<Uint8Array>;
  /** Makes the bodies that clients requested of the previous version. Absent: they are made on first use. */
  prepareBodies?(): Promise<void>;
  /** The body of POST /evaluate for these keys, which must not repeat, or for all flags. `evaluatedAt` is ISO 8601. */
  evaluate(flagKeys: FlagSelection, context: Context, evaluatedAt: string): EvaluateAnswer;
  /**
   * Like `evaluate`, but in steps, for contexts whose `measure` exceeds `LIGHT_WORK`; other requests run between the
   * steps.
   */
  evaluateInSteps(flagKeys: FlagSelection, context: Context, evaluatedAt: string): Steps<EvaluateAnswer>;
  /**
   * An upper bound of the work of the conditions of these flags on the context, in characters times states; or the
   * reason why it exceeds a limit. A result of at most `LIGHT_WORK` may include the work of flags that were not
   * requested. `each` measures all flags as if each key were named: a shared prerequisite counts once per flag.
   */
  measure(flagKeys: FlagSelection | 'each', context: Context): number | ExcessiveWork;
}

/** Flag keys, or `*` for all flags. */
export type FlagSelection = readonly string[] | '*';

/** The body of an answer of POST /evaluate. */
export interface EvaluateAnswer {
  readonly body: string | Uint8Array;
  /** Call it when the body has been sent, so that its memory can be reused. Absent: nothing to release. */
  readonly release?: () => void;
}

/** The outcome of an event batch. A repeated `batch_id` gets the first receipt again, with `duplicate` true. */
export interface BatchReceipt {
  readonly batch_id: string;
  readonly accepted: number;
  readonly duplicates: number;
  readonly duplicate?: boolean;
  readonly rejected: readonly RejectedEvent[];
}

/** An event that was not accepted, and why. The other events of its batch still count. */
export interface RejectedEvent {
  /** Position in `events`. */
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** The host's second port: where evaluation events go. */
export interface EventSink {
  /** `batch.events` contains only the valid events; `rejected` lists the others, for the receipt. */
  accept(
    grant: KeyGrant,
    batch: EventBatch,
    rejected: readonly RejectedEvent[],
  ): BatchReceipt | Promise<BatchReceipt>;
}

/** The host's optional port for billing: records usage by organization. Must not throw and must return quickly. */
export interface UsageMeter {
  /** Called once per request to evaluate flags, with the number of flags evaluated. */
  recordEvaluations(grant: KeyGrant, flags: number): void;
  /** Called for each stored batch with its valid events; not for a repeated batch. */
  recordEvents(grant: KeyGrant, batch: EventBatch): void;
}

/** The host's optional port that records a sample of evaluated contexts. */
export interface ContextRecorder {
  /** Called once per request, whatever its flags. Must not throw and must return quickly. */
  record(published: PublishedRuleset, context: Context): void;
}

/** Why a stream ended: the client left, or the server ended it for this reason. */
export type StreamEnd = 'client' | 'overload' | 'shutdown' | 'key_revoked' | 'rotated';

/** A maximum of open streams. */
export type StreamMaximum = 'streams_per_key' | 'streams_per_environment';

/** The host's optional port that receives what happens to streams. Must not throw and must return quickly. */
export interface StreamObserver {
  opened(kind: KeyKind): void;
  ended(kind: KeyKind, reason: StreamEnd): void;
  /** A stream was refused because the maximum was open. */
  refused(maximum: StreamMaximum): void;
  /** A new version was written to this many streams, this long after the process learned of it. */
  notified(streams: number, lagMs: number): void;
}
