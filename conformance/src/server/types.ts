import type { BaseScenario } from '../scenarios/types.ts';

/** A scenario of requests and the expected responses. */
export interface RequestScenario extends BaseScenario {
  /** What the scenario needs besides the requests. */
  readonly needs?: readonly string[];
  readonly steps: readonly ServerStep[];
}

/** A scenario for servers. */
export interface ServerScenario extends RequestScenario {
  /** `fresh`: runs only on a server without users; `jwt-secret`: runs only if the signing secret is known. */
  readonly needs?: readonly ('fresh' | 'jwt-secret')[];
}

/** One request. `{name}` in it stands for a saved value, such as the id of a flag. */
export interface ServerStep {
  /**
   * Method and path, for example `POST /flags/{flag_id}/toggle`. Two forms send no request: `KEPT name` checks a saved
   * value, and `EXPIRE name` saves an expired copy of a saved token as `{expired}`.
   */
  readonly call: string;
  /** The sender. For servers: `admin` (default), `none`, `viewer`, `key`, `other key`, or a token. */
  readonly as?: string;
  /** If true, the path is relative to the host instead of the prefix. */
  readonly root?: boolean;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** How often to send the request; every response must match. Default 1. */
  readonly times?: number;
  /** Sends the request until a limit refuses it, at most this often. */
  readonly untilLimited?: number;
  readonly expect?: {
    readonly status?: number | readonly number[];
    /** The body, compared partially. `null` means no body. */
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, unknown>>;
    /** With `untilLimited`: how many requests were sent. */
    readonly requests?: unknown;
  };
}
