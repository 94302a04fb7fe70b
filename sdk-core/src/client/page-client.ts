import type { FlagDefault, FlagKey, FlagValue } from '../protocol/flags.ts';
import type { Context, EvaluationResult } from '../protocol/protocol.ts';
import type { FlagBootstrap } from './bootstrap.ts';
import type { BaseClient, FlagDetails } from './client-machine.ts';
import type { TrackData } from './event-batcher.ts';

/** A client for one user: the context belongs to the client. Reading a flag never waits and never throws. */
export interface PageClient extends BaseClient {
  /**
   * The value that is served to the user. It is the default value when there is no answer yet, the flag is unknown,
   * or its value has another type than the default value. An object or array keeps its identity while it is equal.
   */
  flag<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
  ): FlagValue<Key, Default>;
  /**
   * The same with its reason. `variation_key` is null when, and only when, the default value is served. With
   * `unseen`, not counted as use, and a wrong type is not told: for those who look before they use.
   */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
    unseen?: boolean,
  ): FlagDetails<FlagValue<Key, Default>>;
  /** Every flag for the user, as `POST /evaluate` answers it; not counted as use. */
  evaluateAll(): Record<string, EvaluationResult>;
  /**
   * What the bootstrap answered at the start, if there was one, whatever has come since: a server that renders knows
   * nothing else, so hydration begins with it. (Clients for servers make one by a method of this name.)
   */
  readonly bootstrap?: Pick<FlagBootstrap, 'evaluations'> | undefined;
  /** Records that the user did something. */
  track(eventName: string, data?: TrackData): void;
  /** The context that was set last; where the server evaluates, the answers may still be those of the one before. */
  context(): Context;
  /**
   * Answers for somebody else from now on: at once where rules are evaluated here, else when the server has
   * answered; until then the old answers stay. The last call wins. Settles when the answers are there or the attempt
   * failed, which is then repeated like any fetch; also when a page was hidden and shown meanwhile, which begins anew.
   * Gives whether the answers are now for the context that was set last. Rejects with a TypeError when the context is
   * none.
   */
  setContext(context: Context): Promise<boolean>;
}
