import type { BaseScenario, Loaded } from '../scenarios/types.ts';

/** A scenario for relays. The kit plays the server that the relay follows, and the clients behind it. */
export interface RelayScenario extends BaseScenario {
  readonly steps: readonly RelayStep[];
}

export type LoadedRelayScenario = Loaded<RelayScenario>;

/** The API keys of the environment. `unknown` has the right form, but no server has created it. */
export type KeyName = 'relay' | 'server' | 'other server' | 'client' | 'unknown';

/** What is wrong with a ruleset on its way to the relay. */
export type RulesetFault =
  /** It has no signature. */
  | 'unsigned'
  /** Another key signed it than the ones that the server publishes. */
  | 'foreign'
  /** A flag was removed after it was signed. */
  | 'changed'
  /** It is signed, but belongs to another environment. */
  | 'environment'
  /** The connection ends in the middle. */
  | 'cut'
  /** A web page comes instead. */
  | 'page';

/** One step, named by its first field. */
export type RelayStep =
  /** The server publishes this version, and announces it on its streams. */
  | {
      readonly publish: number;
      /** By flag key, the value that the flag serves. */
      readonly flags: Readonly<Record<string, string>>;
      /** The flags that client keys see; default: the same. */
      readonly pages?: Readonly<Record<string, string>>;
      /** Changes when a backup was restored. Default: as before. */
      readonly epoch?: string;
      readonly fault?: RulesetFault;
    }
  /** Starts the relay with the data of the relay before it, if there was one. */
  | { readonly start: true }
  /** Ends the relay without a warning. */
  | { readonly kill: true }
  /** Connections to the server are refused from now on, or work again. */
  | { readonly server: 'down' | 'up' }
  /** The server revokes the key, and says so on its streams. */
  | { readonly revoke: KeyName }
  /** Expects that the relay has fetched the present ruleset at least this often; the second time, it has judged the first. */
  | { readonly fetched: number }
  /** Sends a request to the relay, and again until the answer is as expected or the time is over. */
  | {
      /** Method and path, such as `POST /evaluate`. */
      readonly ask: string;
      /** True for a path without the prefix of the API. */
      readonly root?: boolean;
      readonly key?: KeyName;
      /** `{name}` stands for a saved value. */
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly expect: { readonly status?: unknown; readonly headers?: unknown; readonly body?: unknown };
      /** Default 0: the first answer counts. */
      readonly withinMs?: number;
    }
  /** Expects that the server has received the batches with these ids and no others, in any order. */
  | { readonly delivered: readonly string[]; readonly withinMs: number };
