import type { FlagDefault, FlagKey, FlagValue } from '../protocol/flags.ts';
import type { Context, EvaluationResult } from '../protocol/protocol.ts';
import type { FlagBootstrap } from './bootstrap.ts';
import type { BaseClient, FlagDetails } from './client-machine.ts';
import type { TrackData } from './event-batcher.ts';

/** A client for one user: the context belongs to the client. Reading a flag never waits and never throws. */
export interface PageClient extends BaseClient {
  /**
   * The value served to the user. It is the default value when there is no answer yet, the flag is unknown, or the
   * variation's type differs from the default value's. An object or array keeps its identity while it is equal.
   */
  flag<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
  ): FlagValue<Key, Default>;
  /**
   * The same with its reason. `variation_key` is null if and only if the default value is served. With `unseen` the
   * read is not counted as use and a wrong type is not reported, for code that reads before it shows.
   */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
    unseen?: boolean,
  ): FlagDetails<FlagValue<Key, Default>>;
  /** Every flag for the user, as `POST /evaluate` answers it; not counted as use. */
  evaluateAll(): Record<string, EvaluationResult>;
  /**
   * The answers of the bootstrap, if the client was created with one, whatever was fetched since. A server renders
   * from these, so hydration starts from them too. (A client for servers has a method of this name that creates them.)
   */
  readonly bootstrap?: Pick<FlagBootstrap, 'evaluations'> | undefined;
  /** Records that the user did something. */
  track(eventName: string, data?: TrackData): void;
  /** The context set last. With remote evaluation the answers may still be those for the context before. */
  context(): Context;
  /**
   * Changes the user. With local evaluation the answers change at once, else when the server has answered; until then
   * the old answers stay. The last call wins. Settles when the new answers are there or the attempt failed, which is
   * retried like any fetch; also when the page was hidden and shown meanwhile, which starts a new fetch. Resolves to
   * true if the answers are now for the context set last. Rejects with a TypeError if the context is invalid.
   */
  setContext(context: Context): Promise<boolean>;
}
