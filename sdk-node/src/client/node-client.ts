import { resolve } from 'node:path';
import {
  type Clock,
  createLeaderElection,
  faultText,
  type LeaderElection,
  type Report,
  within,
} from '@flagsvc/sdk-core/client';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { createBodyDecoder } from '../platform/body-decoder.ts';
import { createDiskCache } from '../platform/disk-cache.ts';
import { createMsgpackDecoder } from '../platform/msgpack-decoder.ts';
import { flushOnExit } from '../platform/process-exit.ts';
import { unrefSockets } from '../platform/unref-sockets.ts';
import { createSocketChannel } from '../shared-poller/socket-channel.ts';
import { createClientMonitor, type MonitoredClient } from './client-monitor.ts';
import { loadStreaming } from './load-streaming.ts';
import { type NodeClientOptions, parseNodeOptions } from './options.ts';
import { createServerClient, type Platform, type ServerClient } from './server-client.ts';
import { VERSION } from './version.ts';

/** Creates the client for Node. `clock` is Node's own except in tests. */
export const createClientOn = (clock: Clock, options: NodeClientOptions): MonitoredClient => {
  const monitor = createClientMonitor(clock);
  const parsed = parseNodeOptions(
    options,
    loadStreaming(() => import('../streaming.ts')),
  );
  const { apiKey, baseUrl, cacheDir, format, flushOnSigterm = false, pollIntervalMs, maxBodyBytes } = parsed;
  let server: ServerClient | undefined;
  let election: LeaderElection | undefined;
  // Deferred, because the cache is read before the client exists, and the client reports the cache's faults.
  const report: Report = (code, detail) => queueMicrotask(() => server?.report(code, detail));
  const cache = cacheDir ? createDiskCache(cacheDir, [apiKey, baseUrl], report) : undefined;
  const share: Platform['share'] = (stream) => {
    const identity = [VERSION, apiKey, baseUrl, cacheDir ? resolve(cacheDir) : ''];
    const channel = createSocketChannel({ identity, clock, maxBodyBytes, report });
    const newController = () => new AbortController();
    election = createLeaderElection({ clock, newController, pollIntervalMs }, channel, stream);
    return monitor.watch(election.connect);
  };
  const { streaming } = parsed;
  const watched = { ...parsed, streaming: streaming && monitor.watchStream(streaming) };
  server = createServerClient(watched, {
    clock,
    ...(format === 'msgpack' ? createMsgpackDecoder() : createBodyDecoder()),
    textOf: faultText,
    createRuleIndex,
    lifecycles: [unrefSockets(apiKey), flushOnExit(() => client.stats(), flushOnSigterm)],
    saved: cache?.saved,
    save(payload) {
      monitor.ports.save(payload);
      cache?.save(payload);
      election?.publish(true);
    },
    polled(status) {
      monitor.ports.polled(status);
      if (status === 304) election?.publish();
    },
    ...(parsed.shared && { share }),
  });
  const client = monitor.monitor(server.client);
  return {
    ...client,
    // An awaited flush keeps the process alive, although its requests do not (decisions/0013).
    flush: () => within({ clock, hold: true }, Number.POSITIVE_INFINITY, client.flush()),
  };
};
