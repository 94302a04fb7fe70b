import type { EvaluatorOptions } from '@flagsvc/sdk-core';
import {
  type ClientConfig,
  createClient,
  createLocalSource,
  createTurns,
  type Fault,
  type Lifecycle,
  type Ports,
  pickBootstrap,
  type Report,
} from '@flagsvc/sdk-core/client';
import type { NodeClient, parseServerOptions, ServerClientOptions } from './options.ts';
import { VERSION } from './version.ts';

/** What differs between the runtimes of servers. */
export type Platform = Pick<Ports, 'clock' | 'fetch' | 'codec' | 'log' | 'lifecycles'> &
  EvaluatorOptions & {
    readonly cache?: Pick<Ports, 'saved' | 'save'>;
    /** Connects what leads when it is this client's turn to lead. Absent, it always is. */
    readonly share?: (lead: Lifecycle) => Lifecycle;
  };

/** Tells of faults as the options say, in a line of the given text. */
export const createLog =
  (
    { logger = (_, text) => console.warn(text) }: Pick<ServerClientOptions, 'logger'>,
    textOf: (fault: Fault) => string,
  ) =>
  (fault: Fault): void => {
    if (logger) logger(fault, textOf(fault));
  };

/** A client, and the way to tell of faults that its platform meets. */
export interface ServerClient extends NodeClient {
  readonly report: Report;
}

/** Builds the client of a server runtime from the machine of sdk-core. */
export const createServerClient = (
  options: ReturnType<typeof parseServerOptions>,
  platform: Platform,
): ServerClient => {
  const { bootstrap, app, signal, startJitterMs, streaming } = options;
  const underWay = new Set<AbortController>();
  const config: ClientConfig = {
    ...options,
    ...platform,
    random: Math.random,
    newController() {
      const controller = new AbortController();
      underWay.add(controller);
      controller.signal.addEventListener('abort', () => underWay.delete(controller));
      return controller;
    },
    sdk: { name: 'flagsvc-node', version: VERSION, instance_id: crypto.randomUUID(), ...(app && { app }) },
    saved: bootstrap === undefined ? platform.cache?.saved : { data: bootstrap, tag: null },
    save: platform.cache?.save ?? (() => {}),
    lifecycles: [
      ...platform.lifecycles,
      (handles) => {
        const stream = streaming ? streaming({ ...config, createTurns }) : undefined;
        const lead: Lifecycle = (mine) => {
          stream?.connect(mine);
          return () => stream?.disconnect();
        };
        const begin = platform.share?.(lead) ?? lead;
        /** Nothing, once the client is closed. */
        let end: (() => void) | undefined = () => {};
        if (startJitterMs) {
          handles.pause();
          platform.clock.setTimer(() => {
            handles.resume();
            if (end) end = begin(handles);
          }, startJitterMs * Math.random());
        } else end = begin(handles);
        return () => {
          for (const controller of underWay) controller.abort();
          // The signal may outlive many clients.
          signal?.removeEventListener('abort', abort);
          end?.();
          end = undefined;
        };
      },
    ],
  };
  const machine = createClient(config, createLocalSource(platform));
  const abort = () => machine.close({ timeoutMs: 0 });
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  return {
    ...machine,
    bootstrap: (context, flagKeys) =>
      pickBootstrap(machine.evaluateAll(context), flagKeys, (key) => machine.snapshot()?.exposes(key)),
    explain: (flagKey, context) => machine.snapshot()?.explain(flagKey, context),
    [Symbol.asyncDispose]: () => machine.close(),
  };
};
