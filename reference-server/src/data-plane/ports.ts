import type { Context, Evaluator, EventBatch } from '@flagsvc/sdk-core';
import type { BodyCoding, BodyType } from '../http/negotiate.ts';
import type { Steps } from './evaluate/heavy-work.ts';
import type { TooMuch } from './evaluate/pattern-work.ts';

/** What an SDK key may see: `client` keys see only flags marked `client_side`. */
export type KeyKind = 'server' | 'client' | 'relay';

/** Who is asking, decided from the API key alone. */
export interface KeyGrant {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly environmentId: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** Origins that a browser may use the key from; absent or empty: any. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Addresses and ranges that the key may be used from; absent or empty: any. */
  readonly allowedIps?: readonly string[] | undefined;
}

export type { BodyCoding, BodyType };

/** One version of one environment's ruleset for one kind of key: immutable, its bytes made once. */
export interface PublishedRuleset {
  readonly environmentId: string;
  /** With `version`, the identity of the contents; changes when a backup is restored. */
  readonly epoch: string;
  readonly version: number;
  /** As sent in `ETag`, quotes included. Made from what was compiled, never from `fetched_at`. */
  readonly etag: string;
  /** The SHA-256 of the canonical JSON without `fetched_at`; made when first asked for, then kept. */
  digest(): Promise<Uint8Array>;
  readonly evaluator: Evaluator;
  /** How long the answer of GET /sdk/ruleset is in JSON, not compressed. */
  readonly jsonBytes: number;
  /**
   * The whole answer of POST /evaluate in JSON, envelope included, for these keys (which do not repeat) or for
   * every flag. Put together from pieces that were made once per outcome. `evaluatedAt` is ISO 8601; an answer in
   * bytes lies at the start of a buffer from `allocate`, which may be longer than it was asked to be.
   */
  evaluate(
    flagKeys: readonly string[] | '*',
    context: Context,
    evaluatedAt: string,
    allocate: (bytes: number) => Buffer,
  ): string | Uint8Array;
  /** The same for what `measure` says is more than light, so that all else is answered between the steps. */
  evaluateInSteps(...of: Parameters<PublishedRuleset['evaluate']>): Steps<string | Uint8Array>;
  /**
   * What the patterns of these flags read of a context at most, in characters times states; or why that is too much. A
   * bound from above: where it is light, it may be that of other flags too.
   */
  measure(flagKeys: readonly string[] | '*', context: Context): number | TooMuch;
  /** The whole answer of GET /sdk/ruleset, envelope included; made when first asked for, then kept. */
  body(type: BodyType, coding: BodyCoding): Uint8Array | Promise<Uint8Array>;
}

/** What a subscriber hears: a version that is already served, and the flags that differ from the one before. */
export interface RulesetNotice {
  readonly environmentId: string;
  readonly version: number;
  readonly etag: string;
  /** At most 100 keys; empty when not known. */
  readonly changedFlags: readonly string[];
}

/** The data plane's first port: keys and rulesets. Answers from memory; a promise only when it must look further. */
export interface RulesetLookup {
  /**
   * Undefined when the key is unknown, expired or revoked. `beforeQuery` is called when the key is not in memory and
   * nobody is looking it up yet; what it throws is thrown, and nothing is looked up.
   */
  authenticate(
    apiKey: string,
    beforeQuery?: () => void,
  ): KeyGrant | undefined | Promise<KeyGrant | undefined>;
  /** Never older than the last change that was acknowledged before the call. */
  current(grant: KeyGrant): PublishedRuleset | Promise<PublishedRuleset>;
  /** Calls `listener` after each new version of the environment; returns the way to stop. */
  subscribe(environmentId: string, listener: (notice: RulesetNotice) => void): () => void;
  /**
   * Calls `listener` after a key was revoked or changed, or without an id after any may have been; returns the way to
   * stop. Without it, streams notice within a minute.
   */
  watchKeys?(listener: (keyId: string | undefined) => void): () => void;
  /**
   * Whether a key that is not known any more goes on under another secret: it was rotated, and its grace is over.
   * Without it, streams call every key that has ended revoked.
   */
  isRotated?(grant: KeyGrant): boolean | Promise<boolean>;
}

/** What became of a batch. A repeated `batch_id` gives the first answer again, with `duplicate` true. */
export interface BatchReceipt {
  readonly batch_id: string;
  readonly accepted: number;
  readonly duplicates: number;
  readonly duplicate?: boolean;
  readonly rejected: readonly RejectedEvent[];
}

/** One item of a batch that was not taken, and why; the others are. */
export interface RejectedEvent {
  /** Position in `events`. */
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** The data plane's second port: where evaluation events go. */
export interface EventSink {
  /** `batch.events` holds only sound items; `rejected` names the others, and belongs into the receipt. */
  accept(
    grant: KeyGrant,
    batch: EventBatch,
    rejected: readonly RejectedEvent[],
  ): BatchReceipt | Promise<BatchReceipt>;
}

/** The data plane's third port: hears of contexts that are evaluated, to keep some of them. */
export interface ContextRecorder {
  /** Called once for each request, whatever its flags; never throws, and is quick. */
  record(published: PublishedRuleset, context: Context): void;
}
