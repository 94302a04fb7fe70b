import type { FlagDefault, FlagKey, FlagValue } from '../protocol/flags.ts';
import type { Context, EvaluationResult, Ruleset } from '../protocol/protocol.ts';
import type { Report } from './errors.ts';
import type { EventStats, TrackData } from './event-batcher.ts';
import type { ClientStatus, Listeners } from './listeners.ts';
import type { Snapshot } from './ports.ts';

/** Event counts, and the version of the current ruleset. */
export interface ClientStats extends EventStats {
  /** Version of the current ruleset; null when there is none. */
  readonly rulesetVersion: number | null;
}

/** What every client offers, whether it is for one user or for many. */
export interface BaseClient extends Pick<Listeners, 'on' | 'off'> {
  /** The client's current status. */
  status(): ClientStatus;
  /**
   * Resolves to the status as soon as the client has answers, the server refuses the key, or the client is closed; at
   * the latest after `timeoutMs` (default 5,000). With `failFast`, also resolves when the first fetch has failed; the
   * client keeps trying. Never rejects.
   */
  ready(options?: {
    readonly timeoutMs?: number | undefined;
    readonly failFast?: boolean | undefined;
  }): Promise<ClientStatus>;
  /** Tries once to send all pending events; resolves when that is done. Never rejects. */
  flush(): Promise<void>;
  /**
   * Sends pending events for at most `timeoutMs` (default 2,000), then stops the client. Flags keep answering from the
   * last good ruleset. Never rejects; a second call returns the promise of the first.
   */
  close(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  stats(): ClientStats;
  /**
   * The current ruleset, which must not be changed. Undefined while there is none, and always if the server evaluates
   * the flags.
   */
  ruleset(): Ruleset | undefined;
}

/** A client for many users: the context is an argument. Evaluation never waits and never throws. */
export interface ContextClient extends BaseClient {
  /**
   * The value served to this user. It is the default value when there is no ruleset yet, the flag is unknown, or the
   * variation's type differs from the default value's.
   */
  flag<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    context: Context,
    defaultValue: Default,
  ): FlagValue<Key, Default>;
  /** The value with its reason. `variation_key` is null if and only if the default value is served. */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    context: Context,
    defaultValue: Default,
  ): FlagDetails<FlagValue<Key, Default>>;
  /** Every flag's result for this user, in the shape of `POST /evaluate`; not counted as use. */
  evaluateAll(context: Context): Record<string, EvaluationResult>;
  /** Records an event of the user. An event without a user key is dropped, and counted as dropped. */
  track(eventName: string, context: Context, data?: TrackData): void;
}

/** An evaluation result with a value of the requested type. */
export interface FlagDetails<Value> extends Omit<EvaluationResult, 'value'> {
  readonly value: Value;
}

/** A client, and the functions that only the SDK packages that wrap it need. */
export interface ClientMachine<S extends Snapshot> {
  /** The documented API. The context of `evaluateAll` may be omitted if the source answers for one context only. */
  readonly client: Omit<ContextClient, 'evaluateAll'> & {
    evaluateAll(context?: Context): Record<string, EvaluationResult>;
  };
  readonly report: Report;
  /** The current snapshot; undefined before there is one. */
  snapshot(): S | undefined;
  /** Loads the last payload again. Call it when the source would now evaluate the payload differently. */
  reload(): void;
  /** Fetches without an entity tag and ignores a fetch in flight. Call it when the source's request has changed. */
  refetch(): Promise<unknown>;
}
