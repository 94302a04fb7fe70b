import type { FlagDefault, FlagKey, FlagValue } from '../protocol/flags.ts';
import type { Context, EvaluationResult } from '../protocol/protocol.ts';
import type { FlagBootstrap } from './bootstrap.ts';
import type { BaseClient, FlagDetails } from './client-machine.ts';
import type { TrackData } from './event-batcher.ts';

/** A client for one user: the context belongs to the client. Reading a flag never waits and never throws. */
export interface PageClient extends BaseClient {
  /**
   * The value served to the user. It is the default value when there is no answer yet, the flag is unknown, or the
   * variation's type differs from the default value's. An object or array stays the same object while its content stays
   * the same.
   */
  flag<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
  ): FlagValue<Key, Default>;
  /**
   * The value with its reason. `variation_key` is null if and only if the default value is served. With `unseen`, the
   * read is not counted as use and a wrong type is not reported; this is for code that reads a flag before the user
   * sees it.
   */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
    unseen?: boolean,
  ): FlagDetails<FlagValue<Key, Default>>;
  /** Every flag's result for the user, in the shape of `POST /evaluate`; not counted as use. */
  evaluateAll(): Record<string, EvaluationResult>;
  /**
   * The results of the bootstrap that the client was created with, even after newer ones were fetched. The server
   * rendered from these, so hydration starts from them too. (Server clients have a method of this name that
   * creates a bootstrap.)
   */
  readonly bootstrap?: Pick<FlagBootstrap, 'evaluations'> | undefined;
  /** Records an event of the user. */
  track(eventName: string, data?: TrackData): void;
  /** The context that was set last. With remote evaluation, the answers may still be those for the previous context. */
  context(): Context;
  /**
   * Changes the user; the last call wins. With local evaluation the answers change at once. With remote evaluation the
   * old answers stay until the server has answered. Resolves when the new answers have arrived or the fetch has failed;
   * a failed fetch is retried as usual. Also resolves if the page is hidden and shown meanwhile, which starts a new
   * fetch. Resolves to true if the answers are now for the context set last. Rejects with a TypeError if the context is
   * invalid.
   */
  setContext(context: Context): Promise<boolean>;
}
