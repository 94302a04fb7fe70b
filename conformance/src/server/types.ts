import type { BaseScenario } from '../scenarios/types.ts';

/** Requests and what they must answer. */
export interface ServerScenario extends BaseScenario {
  /** `fresh`: only on a server that nobody had registered on; `jwt-secret`: only when that is known. */
  readonly needs?: readonly ('fresh' | 'jwt-secret')[];
  readonly steps: readonly ServerStep[];
}

/** One request. `{name}` in it stands for what was kept, or for something of the world. */
export interface ServerStep {
  /**
   * Method and path, for example `POST /flags/{flag_id}/toggle`. Two are no requests: `KEPT name` looks at what was
   * kept, `EXPIRE name` makes `{expired}` of the token of that name.
   */
  readonly call: string;
  /** Who asks: `admin` (the default), `none`, `viewer`, `key`, `other key`, or a token. */
  readonly as?: string;
  /** True: below the host, not below the prefix. */
  readonly root?: boolean;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** So many times, the expectation holding for each. */
  readonly times?: number;
  /** As many times as it takes to be refused by a limit, but at most so many. */
  readonly untilLimited?: number;
  readonly expect?: {
    readonly status?: number | readonly number[];
    /** The body, in part. `null`: no body at all. */
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, unknown>>;
    /** How many requests it took, with `untilLimited`. */
    readonly requests?: unknown;
  };
}
