import type { FlagDefault, FlagKey, FlagValue } from '../protocol/flags.ts';
import type { Context, EvaluationResult, Ruleset } from '../protocol/protocol.ts';
import type { Report } from './errors.ts';
import type { EventStats, TrackData } from './event-batcher.ts';
import type { ClientStatus, Listeners } from './listeners.ts';
import type { Snapshot } from './ports.ts';

/** Event counts, and the ruleset that answers. */
export interface ClientStats extends EventStats {
  /** Version of the ruleset that answers; null when there is none. */
  readonly rulesetVersion: number | null;
}

/** What every client offers, whether it is for one user or for many. */
export interface BaseClient extends Pick<Listeners, 'on' | 'off'> {
  /** The state of the client now. */
  status(): ClientStatus;
  /**
   * Settles as soon as there is something to answer from, the server refuses the key, or the client is closed; at the
   * latest after `timeoutMs` (default 5,000). With `failFast`, also when a fetch has failed; the client keeps trying.
   * Gives the status at that moment; never rejects.
   */
  ready(options?: {
    readonly timeoutMs?: number | undefined;
    readonly failFast?: boolean | undefined;
  }): Promise<ClientStatus>;
  /** Tries once to send what is pending; settles when that is done. Never rejects. */
  flush(): Promise<void>;
  /**
   * Sends what is pending within `timeoutMs` (default 2,000), then stops everything. Flags keep answering from the
   * last good ruleset. Never rejects; a second call gives the promise of the first.
   */
  close(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  stats(): ClientStats;
  /** The ruleset that answers, not to be changed; undefined before there is one, and where the server evaluates. */
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
  /** The same with its reason. `variation_key` is null if and only if the default value is served. */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    context: Context,
    defaultValue: Default,
  ): FlagDetails<FlagValue<Key, Default>>;
  /** Every flag of the ruleset for this user, as `POST /evaluate` answers it; not counted as use. */
  evaluateAll(context: Context): Record<string, EvaluationResult>;
  /** Records that the user did something. Without a user key it is dropped, and counted as dropped. */
  track(eventName: string, context: Context, data?: TrackData): void;
}

/** An evaluation result with a value of the requested type. */
export interface FlagDetails<Value> extends Omit<EvaluationResult, 'value'> {
  readonly value: Value;
}

/** A client and what the packages around it need besides. */
export interface ClientMachine<S extends Snapshot> {
  /** The documented API. The context of `evaluateAll` may be omitted if the source answers for one context only. */
  readonly client: Omit<ContextClient, 'evaluateAll'> & {
    evaluateAll(context?: Context): Record<string, EvaluationResult>;
  };
  readonly report: Report;
  /** What answers now; undefined before there is anything. */
  snapshot(): S | undefined;
  /** Loads the last payload again, for a source that would now make something else of it. */
  reload(): void;
  /** Fetches without a tag, replacing a fetch in flight, for a source whose request changed. */
  refetch(): Promise<unknown>;
}
