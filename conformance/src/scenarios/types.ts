import type { Level } from '../report/results.ts';
import type { Endpoint, Reply } from '../scripted-server/replies.ts';
import type { Lifetime } from '../suite/lifetime.ts';
import type { Requirement } from '../suite/requirement.ts';

/** One file of scenarios, for SDKs or for servers. */
export interface ScenarioFile<One extends BaseScenario> {
  /** For example POLL. */
  readonly group: string;
  readonly title: string;
  /** Requirements of these scenarios that are not in requirements.json. */
  readonly requirements?: readonly Requirement[];
  readonly scenarios: readonly One[];
}

/** Fields that every scenario has. */
export interface BaseScenario extends Lifetime {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  readonly requirements: readonly string[];
  /** Expands into one scenario per combination of values; `"{{name}}"` in the steps stands for the value. */
  readonly for?: Readonly<Record<string, readonly unknown[]>>;
}

/** A scenario, ready to run. */
export type Loaded<One extends BaseScenario> = One & { readonly group: string };

/** Tests one behaviour of a client on the wire. */
export interface Scenario extends BaseScenario {
  /** Capabilities that the adapter must have, besides `polling`; otherwise the scenario is skipped. */
  readonly needs?: readonly string[];
  /**
   * `any` (default): runs on a virtual clock, or in scaled time if the adapter has none. `virtual`: runs only on a
   * virtual clock. `real`: runs in unscaled real time, with real timers.
   */
  readonly clock?: 'any' | 'virtual' | 'real';
  /** Takes minutes: runs only with `--long` or when it is named. */
  readonly long?: boolean;
  /** The configuration of every client; a step may override fields. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

/** The configuration of a client. Adapters ignore fields for which their SDK has no option. */
export interface ClientConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pollIntervalMs: number;
  readonly requestTimeoutMs: number;
  /** First wait after a failure; each further failure doubles the wait, up to `300 * retryBaseMs`. */
  readonly retryBaseMs: number;
  /** False turns events off. */
  readonly events: boolean;
  readonly flushIntervalMs: number;
  readonly maxPendingEvents: number;
  /** Seed for random numbers, if the SDK accepts one. */
  readonly seed: number;
  readonly stream: boolean;
  /** A ruleset to start with. */
  readonly bootstrap?: unknown;
}

interface OfClient {
  /** Default `c1`. */
  readonly client?: string;
}

/** One step, named by its first field. Times are in milliseconds of scenario time. */
export type Step =
  /** Adds replies to an endpoint's queue; the last one repeats. */
  | { readonly queue: Endpoint; readonly replies: readonly Reply[]; readonly key?: string }
  | {
      readonly create: string;
      readonly config?: Readonly<Record<string, unknown>>;
      readonly refused?: boolean;
      /** Creates the client in a worker thread instead of the adapter's own thread. */
      readonly inside?: 'worker';
    }
  /** Forks the process. The client continues in this process, and in the child process under the name `as`. */
  | { readonly fork: string; readonly as: string }
  /** Sends no more commands to the client's worker or child process, which must end by itself. */
  | { readonly leave: string; readonly withinMs: number }
  /** Creates this many clients at once, each with its own seed and key. */
  | { readonly fleet: number; readonly config?: Readonly<Record<string, unknown>> }
  /** Expects that the next request to the endpoint has arrived. */
  | ({ readonly see: Endpoint } & Expectation)
  /** Advances time until the next request, which must come in this interval after now or after the endpoint's last request. */
  | ({
      readonly next: Endpoint;
      readonly afterMs: readonly [number, number];
      readonly since?: 'now' | 'last';
    } & Expectation)
  /** Advances time and expects no request. */
  | { readonly quiet: Endpoint; readonly forMs?: number }
  /** Expects this many requests that no step has checked yet, and marks them as checked. */
  | { readonly count: Endpoint; readonly min?: number; readonly max?: number }
  /** Marks all requests so far as checked. */
  | { readonly forget: Endpoint }
  | { readonly advance: number }
  /** The machine sleeps: time passes, and timers fire only when it wakes. */
  | { readonly sleep: number }
  /** Changes the wall clock; the clock for durations is unaffected. */
  | { readonly jump: number }
  | ({
      readonly evaluate: string;
      readonly context?: object;
      readonly fallback?: unknown;
      /** The expected value. */
      readonly gives?: unknown;
      /** The expected result, compared partially. */
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
  /** Calls the method and waits until it settles. */
  | ({
      readonly call: 'flush' | 'close' | 'ready';
      readonly args?: object;
      readonly expect?: unknown;
    } & OfClient)
  /** Calls the method and continues. */
  | ({ readonly start: 'flush' | 'close' | 'ready'; readonly args?: object } & OfClient)
  /** Expects that the started call has settled. */
  | ({ readonly ended: 'flush' | 'close' | 'ready'; readonly expect?: unknown } & OfClient)
  /** Expects that the started call has not settled yet. */
  | ({ readonly running: 'flush' | 'close' | 'ready' } & OfClient)
  | { readonly down: true }
  | { readonly up: true }
  /** Expects this many unanswered requests, open streams included. */
  | { readonly held: number }
  /** Writes to the open streams, each part in its own packet. `null` ends the streams. */
  | { readonly push: readonly (string | null)[] }
  | { readonly repeat: number; readonly steps: readonly Step[] }
  /** Checks over all clients of the fleet the time between requests `nth - 1` and `nth`. */
  | {
      readonly spread: Endpoint;
      readonly nth: number;
      readonly between: readonly [number, number];
      /** Minimum number of different values. */
      readonly distinct: number;
      /** Minimum distance between the smallest and the largest value, as a fraction of the interval. */
      readonly covers: number;
    }
  /** Closes stdin without a command; the process must end by itself. */
  | { readonly exit: { readonly withinMs: number } }
  /** Expects that the heap has grown by at most this many percent since the last such step. */
  | { readonly memory: { readonly growsAtMostPercent?: number } };

/** What a request must contain. */
export interface Expectation {
  readonly method?: string;
  readonly path?: unknown;
  /** `null` means that the header must be absent. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The body after decompression. */
  readonly body?: unknown;
  /** Sums of the counters in its summaries, by flag key. */
  readonly counts?: Readonly<Record<string, number>>;
}
