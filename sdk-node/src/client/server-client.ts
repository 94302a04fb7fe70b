import type { EvaluatorOptions } from '@flagsvc/sdk-core';
import {
  type ClientConfig,
  createClient,
  createLocalSource,
  createRequestScheduler,
  type Fault,
  type Lifecycle,
  type Ports,
  pickBootstrap,
  type Report,
} from '@flagsvc/sdk-core/client';
import type { Stream } from '@flagsvc/sdk-core/stream';
import type { NodeClient, parseServerOptions, ServerClientOptions } from './options.ts';
import { VERSION } from './version.ts';

/** What differs between server runtimes. */
export type Platform = Pick<Ports, 'clock' | 'fetch' | 'accept' | 'decode' | 'log'> &
  Partial<Pick<Ports, 'saved' | 'save' | 'polled'>> &
  EvaluatorOptions & {
    readonly lifecycles: readonly Lifecycle[];
    /** Shares polling, and the stream, with other clients. Default: every client polls and streams for itself. */
    readonly share?: (stream: Stream | undefined) => Lifecycle;
  };

/** Writes faults to the logger of the options. */
export const createLog =
  (
    { logger = (_, text) => console.warn(text) }: Pick<ServerClientOptions, 'logger'>,
    textOf: (fault: Fault) => string,
  ) =>
  (fault: Fault): void => {
    if (logger) logger(fault, textOf(fault));
  };

/** A client, and how its platform reports faults. */
export interface ServerClient {
  readonly client: NodeClient;
  readonly report: Report;
}

/** Builds the client of a server runtime from the client machine. */
export const createServerClient = (
  options: ReturnType<typeof parseServerOptions>,
  platform: Platform,
): ServerClient => {
  const { bootstrap, app, signal, startJitterMs, streaming } = options;
  const { clock, share } = platform;
  const openControllers = new Set<AbortController>();
  const config: ClientConfig = {
    ...options,
    ...platform,
    random: Math.random,
    newController() {
      const controller = new AbortController();
      openControllers.add(controller);
      controller.signal.addEventListener('abort', () => openControllers.delete(controller));
      return controller;
    },
    sdk: { name: 'flagsvc-node', version: VERSION, instance_id: crypto.randomUUID(), ...(app && { app }) },
    saved: bootstrap === undefined ? platform.saved : { data: bootstrap, tag: null },
    connect(handles) {
      const stream = streaming ? streaming({ ...config, createRequestScheduler }) : undefined;
      const begin: Lifecycle =
        share?.(stream) ??
        ((own) => {
          stream?.connect(own);
          return () => stream?.disconnect();
        });
      const disconnects = platform.lifecycles.map((connect) => connect(handles));
      let startTimer: unknown;
      if (startJitterMs) {
        handles.pause();
        startTimer = clock.setTimer(() => {
          handles.resume();
          disconnects.push(begin(handles));
        }, startJitterMs * Math.random());
      } else disconnects.push(begin(handles));
      return () => {
        clock.clearTimer(startTimer);
        for (const disconnect of disconnects) disconnect();
        for (const controller of openControllers) controller.abort();
        // The signal may outlive many clients.
        signal?.removeEventListener('abort', abort);
      };
    },
  };
  const { client, report, snapshot } = createClient(config, createLocalSource(platform));
  const abort = () => client.close({ timeoutMs: 0 });
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  return {
    client: {
      ...client,
      bootstrap: (context, flagKeys) =>
        pickBootstrap(client.evaluateAll(context), flagKeys, (key) => snapshot()?.exposes(key)),
      explain: (flagKey, context) => snapshot()?.explain(flagKey, context),
      [Symbol.asyncDispose]: () => client.close(),
    },
    report,
  };
};
