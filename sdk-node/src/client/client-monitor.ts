import type { Context } from '@flagsvc/sdk-core';
import type {
  ClientStats,
  ClientStatus,
  Clock,
  Fault,
  FlagDetails,
  Lifecycle,
  LifecycleHandles,
  Ports,
} from '@flagsvc/sdk-core/client';
import type { CreateStream } from '@flagsvc/sdk-core/stream';
import type { NodeClient } from './options.ts';

/** What a client has done, and how fresh its ruleset is. Counts begin when the client is created. */
export interface NodeClientStats extends ClientStats {
  readonly status: ClientStatus;
  /**
   * Milliseconds since the server last confirmed the ruleset, by a poll, a stream or the client that polls for others;
   * null before the first time. Usually at most `pollIntervalMs` × 1.1, with a stream about 60,000.
   */
  readonly rulesetAgeMs: number | null;
  /** When the server last confirmed the ruleset, in milliseconds since 1970; null before the first time. */
  readonly lastSuccessAt: number | null;
  /** Polls that were answered with a usable ruleset, or with "not modified". */
  readonly polls: number;
  /** Polls without such an answer. */
  readonly failedPolls: number;
  /** Calls of `flag` and `flagDetails`. */
  readonly evaluations: number;
  /** How many of these calls returned the caller's default value. */
  readonly defaultsServed: number;
  /** The last reported fault, and when it was reported, in milliseconds since 1970; null if there was none. */
  readonly lastFault: (Fault & { readonly at: number }) | null;
}

/** What `createNodeClient` creates in Node: a `NodeClient` whose `stats` also tell how it is doing. */
export interface MonitoredClient extends NodeClient {
  /** Reads counts that the client keeps anyway; takes less than a microsecond. Works in every status. */
  stats(): NodeClientStats;
}

/** Observes a client from outside, so that bundles for other runtimes do not grow. */
export interface ClientMonitor {
  /** To be called by the ports of the same names. */
  readonly ports: Required<Pick<Ports, 'polled' | 'save'>>;
  /** A lifecycle whose payloads from elsewhere are noticed. */
  watch(lifecycle: Lifecycle): Lifecycle;
  watchStream(create: CreateStream): CreateStream;
  /** The client, whose uses are counted. Call it once. */
  monitor(client: NodeClient): MonitoredClient;
}

type Read = (flagKey: string, context: Context, given: unknown) => FlagDetails<unknown>;

export function createClientMonitor(clock: Clock): ClientMonitor {
  let evaluations = 0;
  let defaultsServed = 0;
  let answered = 0;
  let polls = 0;
  let confirmed: { readonly at: number; readonly on: number } | undefined;
  let lastFault: NodeClientStats['lastFault'] = null;

  const confirm = (): void => {
    confirmed = { at: clock.now(), on: clock.monotonic() };
  };
  const succeed = (): void => {
    polls += 1;
    confirm();
  };
  const watchHandles = (handles: LifecycleHandles): LifecycleHandles => ({
    ...handles,
    receive(payload) {
      const isUsed = handles.receive(payload);
      if (isUsed) confirm();
      return isUsed;
    },
  });

  return {
    ports: {
      polled(status) {
        answered += 1;
        if (status === 304) succeed();
      },
      // Called only for a ruleset that the client uses.
      save: succeed,
    },
    watch: (lifecycle) => (handles) => lifecycle(watchHandles(handles)),
    watchStream: (create) => (config) => {
      const stream = create(config);
      return {
        connect: (handles) => stream.connect(watchHandles(handles)),
        disconnect: () => stream.disconnect(),
      };
    },
    monitor(client) {
      client.on('error', (fault) => {
        lastFault = { ...fault, at: clock.now() };
      });
      // The types of flags are those of the client; here they do not matter.
      const { flagDetails } = client as { flagDetails: Read };
      const read: Read = (flagKey, context, given) => {
        const details = flagDetails(flagKey, context, given);
        evaluations += 1;
        if (details.variation_key === null) defaultsServed += 1;
        return details;
      };
      return {
        ...client,
        flag: (flagKey: string, context: Context, given: unknown) =>
          read(flagKey, context, given).value as never,
        flagDetails: (flagKey: string, context: Context, given: unknown) =>
          read(flagKey, context, given) as never,
        stats: () => ({
          ...client.stats(),
          status: client.status(),
          rulesetAgeMs: confirmed ? clock.monotonic() - confirmed.on : null,
          lastSuccessAt: confirmed?.at ?? null,
          polls,
          failedPolls: answered - polls,
          evaluations,
          defaultsServed,
          lastFault,
        }),
      };
    },
  };
}
