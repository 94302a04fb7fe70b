import type { EvaluatorOptions } from '@flagsvc/sdk-core';
import {
  type ClientConfig,
  createClient,
  createLocalSource,
  createRequestScheduler,
  explain,
  type Fault,
  type Lifecycle,
  type Ports,
  pickBootstrap,
  type Report,
} from '@flagsvc/sdk-core/client';
import type { Stream } from '@flagsvc/sdk-core/stream';
import { gzipRequests } from '../platform/gzip-requests.ts';
import { webFetch } from '../platform/web-platform.ts';
import type { NodeClient, parseServerOptions } from './options.ts';
import { VERSION } from './version.ts';

/** The parts of a client that differ between server runtimes. */
export type Platform = Pick<Ports, 'clock' | 'accept' | 'decode'> &
  Partial<Pick<Ports, 'saved' | 'save' | 'polled'>> &
  EvaluatorOptions & {
    /** The text of a fault for the logger. */
    readonly textOf: (fault: Fault) => string;
    readonly lifecycles: readonly Lifecycle[];
    /** Shares polling, and the stream, with other clients. Default: every client polls and streams on its own. */
    readonly share?: (stream: Stream | undefined) => Lifecycle;
  };

/** A client, and the function with which its platform reports faults. */
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
  const { logger = (_, text) => console.warn(text) } = options;
  const { clock, share, textOf } = platform;
  const closing = new AbortController();
  const config: ClientConfig = {
    ...options,
    ...platform,
    fetch: gzipRequests(webFetch(options.fetch)),
    random: Math.random,
    log(fault) {
      if (logger) logger(fault, textOf(fault));
    },
    newController() {
      const controller = new AbortController();
      closing.signal.addEventListener('abort', () => controller.abort(), { signal: controller.signal });
      return controller;
    },
    sdk: { name: 'flagsvc-node', version: VERSION, instance_id: crypto.randomUUID(), app: app || undefined },
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
      const start = () => {
        handles.resume();
        disconnects.push(begin(handles));
      };
      if (startJitterMs) {
        handles.pause();
        startTimer = clock.setTimer(start, startJitterMs * Math.random());
      } else start();
      return () => {
        clock.clearTimer(startTimer);
        for (const disconnect of disconnects) disconnect();
        closing.abort();
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
        pickBootstrap(client.evaluateAll(context), flagKeys, (key, ruleId) =>
          snapshot()?.exposes(key, ruleId),
        ),
      explain(flagKey, context) {
        const flag = snapshot()?.find(flagKey);
        return flag && explain(flag, flagKey, context);
      },
      [Symbol.asyncDispose]: () => client.close(),
    },
    report,
  };
};
