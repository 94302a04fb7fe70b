import type { FlagDefault, FlagKey, FlagValue } from '../protocol/flags.ts';
import type { Context, EvaluationResult, Ruleset } from '../protocol/protocol.ts';
import type { EventStats, TrackData } from './event-batcher.ts';
import type { ClientStatus, Listeners } from './listeners.ts';
import type { Snapshot } from './ports.ts';

/** The books and the state behind the answers. */
export interface ClientStats extends EventStats {
  /** Version of the ruleset that answers; null when there is none. */
  readonly rulesetVersion: number | null;
}

/** What every client offers, whoever supplies the context. */
export interface BaseClient extends Pick<Listeners, 'on' | 'off'> {
  /** How the client stands now. */
  status(): ClientStatus;
  /**
   * Settles as soon as there is something to answer from, or the server refuses the key, or the client is closed,
   * or after `timeoutMs` (default 5,000); with `failFast` also once a fetch has failed, while the client goes on
   * trying. Gives the status of that moment; never rejects.
   */
  ready(options?: {
    readonly timeoutMs?: number | undefined;
    readonly failFast?: boolean | undefined;
  }): Promise<ClientStatus>;
  /** Tries to send what is pending, once; settles when that is done. Never rejects. */
  flush(): Promise<void>;
  /**
   * Sends what is pending within `timeoutMs` (default 2,000), then stops everything. Flags are still answered from
   * the last good ruleset. Never rejects; a second call gives the first one's promise.
   */
  close(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  stats(): ClientStats;
  /** The ruleset that answers; undefined before there is one, and where the server evaluates. Not to be changed. */
  ruleset(): Ruleset | undefined;
}

/** A client for many users: the context is an argument. Evaluation never waits and never throws. */
export interface ContextClient extends BaseClient {
  /**
   * The value that is served to this user. It is the default value when there is no ruleset yet, the flag is
   * unknown, or its value has another type than the default value.
   */
  flag<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    context: Context,
    defaultValue: Default,
  ): FlagValue<Key, Default>;
  /** The same with its reason. `variation_key` is null when, and only when, the default value is served. */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    context: Context,
    defaultValue: Default,
  ): FlagDetails<FlagValue<Key, Default>>;
  /** Every flag of the ruleset for this user, as `POST /evaluate` answers it; not counted as use. */
  evaluateAll(context: Context): Record<string, EvaluationResult>;
  /** Records that the user did something. Dropped, and counted so, when there is no user key. */
  track(eventName: string, context: Context, data?: TrackData): void;
}

/** An evaluation result whose value has the asked type. */
export interface FlagDetails<Value> extends Omit<EvaluationResult, 'value'> {
  readonly value: Value;
}

/** The machine: what the outer packages build their clients from. */
export interface ClientMachine<S extends Snapshot>
  extends Omit<ContextClient, 'flagDetails' | 'evaluateAll'>,
    Pick<Listeners, 'report'> {
  /** The context may be left out where the source answers for one only. */
  evaluateAll(context?: Context): Record<string, EvaluationResult>;
  /** With `unseen`, not counted as use, and a wrong type is not told: for those who look before they use. */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    context: Context,
    defaultValue: Default,
    unseen?: boolean,
  ): FlagDetails<FlagValue<Key, Default>>;
  /** What answers now; undefined before there is anything. */
  snapshot(): S | undefined;
  /** Takes the last payload once more: for a source that would now make something else of it. */
  reload(): void;
  /** Fetches anew without a tag, in place of a fetch that is running: for a source whose question changed. */
  refetch(): Promise<unknown>;
}
