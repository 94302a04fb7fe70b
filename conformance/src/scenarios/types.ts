import type { Level } from '../report/results.ts';
import type { Endpoint, Reply } from '../scripted-server/replies.ts';
import type { Lifetime } from '../suite/lifetime.ts';
import type { Requirement } from '../suite/suite.ts';

/** One file of scenarios, for SDKs or for servers. */
export interface ScenarioFile<One extends BaseScenario> {
  /** For example POLL. */
  readonly group: string;
  readonly title: string;
  /** What the scenarios of the file ask for beyond requirements.json. */
  readonly requirements?: readonly Requirement[];
  readonly scenarios: readonly One[];
}

/** What every scenario has. */
export interface BaseScenario extends Lifetime {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  readonly requirements: readonly string[];
  /** Makes one scenario of each combination; `"{{name}}"` in the steps stands for the value. */
  readonly for?: Readonly<Record<string, readonly unknown[]>>;
}

/** A scenario as it is run. */
export type Loaded<One extends BaseScenario> = One & { readonly group: string };

/** One behaviour of a client on the wire. */
export interface Scenario extends BaseScenario {
  /** Capabilities without which it is skipped. Always: `polling`. */
  readonly needs?: readonly string[];
  /**
   * `any` (the default): on a clock that we move, else in scaled time. `virtual`: only on a clock that we move.
   * `real`: in real time, unscaled, with real timers.
   */
  readonly clock?: 'any' | 'virtual' | 'real';
  /** Takes minutes: played with `--long`, or when it is named. */
  readonly long?: boolean;
  /** What every client is created with, unless its step says otherwise. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

/** What a client is created with; fields that an SDK has no option for are its adapter's to ignore. */
export interface ClientConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pollIntervalMs: number;
  readonly requestTimeoutMs: number;
  /** First wait after a failure; it doubles up to `300 * retryBaseMs`. */
  readonly retryBaseMs: number;
  /** False: no events at all. */
  readonly events: boolean;
  readonly flushIntervalMs: number;
  readonly maxPendingEvents: number;
  /** Seed of the dice, where they can be handed in. */
  readonly seed: number;
  readonly stream: boolean;
  /** A ruleset to start from. */
  readonly bootstrap?: unknown;
}

interface OfClient {
  /** Which client; default `c1`. */
  readonly client?: string;
}

/** One step; the first field names it. Times are milliseconds of the scenario. */
export type Step =
  /** Adds answers to an endpoint's queue; the last one repeats. */
  | { readonly queue: Endpoint; readonly replies: readonly Reply[]; readonly key?: string }
  | {
      readonly create: string;
      readonly config?: Readonly<Record<string, unknown>>;
      readonly refused?: boolean;
      /** In a thread with a memory of its own, and not in the adapter's. */
      readonly inside?: 'worker';
    }
  /** The process forks; the client goes on here, and in the child under another name. */
  | { readonly fork: string; readonly as: string }
  /** The worker or the child process of a client has nothing more to do; it must end by itself. */
  | { readonly leave: string; readonly withinMs: number }
  /** Creates so many clients at once, each with a seed and a key of its own. */
  | { readonly fleet: number; readonly config?: Readonly<Record<string, unknown>> }
  /** The next request at the endpoint is there now. */
  | ({ readonly see: Endpoint } & Expectation)
  /** The next request comes so long after now, or after the last request of the endpoint; time passes until it does. */
  | ({
      readonly next: Endpoint;
      readonly afterMs: readonly [number, number];
      readonly since?: 'now' | 'last';
    } & Expectation)
  /** No request comes while so much time passes. */
  | { readonly quiet: Endpoint; readonly forMs?: number }
  /** So many requests have come that no step has looked at; they count as looked at from now on. */
  | { readonly count: Endpoint; readonly min?: number; readonly max?: number }
  /** Forgets the requests that came so far. */
  | { readonly forget: Endpoint }
  | { readonly advance: number }
  /** The machine sleeps: time passes, nothing fires until it wakes. */
  | { readonly sleep: number }
  /** The wall clock is set, durations do not notice. */
  | { readonly jump: number }
  | ({
      readonly evaluate: string;
      readonly context?: object;
      readonly fallback?: unknown;
      /** The expected value. */
      readonly gives?: unknown;
      /** The expected result, in part. */
      readonly expect?: unknown;
      readonly times?: number;
    } & OfClient)
  | ({ readonly evaluateAll: true; readonly context?: object; readonly expect: unknown } & OfClient)
  | ({ readonly status: true; readonly expect: unknown } & OfClient)
  | ({ readonly notifications: true; readonly expect?: unknown } & OfClient)
  | ({
      readonly track: string;
      readonly context?: object;
      readonly data?: unknown;
      readonly times?: number;
    } & OfClient)
  /** Asks and waits for the end. */
  | ({
      readonly call: 'flush' | 'close' | 'ready';
      readonly args?: object;
      readonly expect?: unknown;
    } & OfClient)
  /** Asks and goes on. */
  | ({ readonly start: 'flush' | 'close' | 'ready'; readonly args?: object } & OfClient)
  /** What was started has ended by now. */
  | ({ readonly ended: 'flush' | 'close' | 'ready'; readonly expect?: unknown } & OfClient)
  /** What was started has not ended yet. */
  | ({ readonly running: 'flush' | 'close' | 'ready' } & OfClient)
  | { readonly down: true }
  | { readonly up: true }
  /** So many answers are held back now, open streams among them. */
  | { readonly held: number }
  /** Writes to the open streams; each part in a packet of its own. `null` ends them. */
  | { readonly push: readonly (string | null)[] }
  | { readonly repeat: number; readonly steps: readonly Step[] }
  /** Over the fleet: the time between a client's requests `nth - 1` and `nth`. */
  | {
      readonly spread: Endpoint;
      readonly nth: number;
      readonly between: readonly [number, number];
      /** At least so many different values. */
      readonly distinct: number;
      /** At least this part of the interval lies between the smallest and the largest. */
      readonly covers: number;
    }
  /** Stdin ends without a word; the process must end by itself. */
  | { readonly exit: { readonly withinMs: number } }
  /** The heap has grown by at most so much, in percent, since the last such step. */
  | { readonly memory: { readonly growsAtMostPercent?: number } };

/** What a request must be like. */
export interface Expectation {
  readonly method?: string;
  readonly path?: unknown;
  /** `null`: must not be there. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The body, unpacked. */
  readonly body?: unknown;
  /** Sums of the counters of its summaries, by flag key. */
  readonly counts?: Readonly<Record<string, number>>;
}
