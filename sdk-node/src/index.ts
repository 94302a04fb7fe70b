/** The door for Node. */
import { resolve } from 'node:path';
import { type Report, within } from '@flagsvc/sdk-core/client';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { textOf } from './client/fault-text.ts';
import { loadStreaming } from './client/load-streaming.ts';
import { type NodeClient, type NodeClientOptions, parseNodeOptions } from './client/options.ts';
import { createLog, createServerClient, type ServerClient } from './client/server-client.ts';
import { VERSION } from './client/version.ts';
import { createCodec } from './platform/codec.ts';
import { createDiskCache } from './platform/disk-cache.ts';
import { hostClock, outside } from './platform/host-clock.ts';
import { createMsgpackCodec } from './platform/msgpack-codec.ts';
import { flushOnExit } from './platform/process-exit.ts';
import { unrefSockets } from './platform/unref-sockets.ts';
import { webFetch } from './platform/web-platform.ts';
import { createSharedPoller } from './shared-poller/shared-poller.ts';

export type { NodeClient, NodeClientOptions, ServerClientOptions } from './client/options.ts';
export type * from './client/public-types.ts';

const create = (options: NodeClientOptions): NodeClient => {
  const parsed = parseNodeOptions(options);
  const { apiKey, baseUrl, cacheDir, format, streaming, flushOnSigterm = false } = parsed;
  let made: ServerClient | undefined;
  // In a moment: the cache is read before there is a client that could tell of it, if there ever is one.
  const report: Report = (code, detail) => queueMicrotask(() => made?.report(code, detail));
  const cache = cacheDir ? createDiskCache(cacheDir, [apiKey, baseUrl], report) : undefined;
  const saved = cache?.saved;
  const poller = parsed.shared
    ? createSharedPoller([VERSION, apiKey, baseUrl, cacheDir ? resolve(cacheDir) : ''], parsed, report)
    : undefined;
  const fetch = webFetch(parsed.fetch);
  const stream = streaming === true ? loadStreaming(() => import('./streaming.ts')) : streaming;
  const client: ServerClient = createServerClient(
    { ...parsed, streaming: stream },
    {
      clock: hostClock,
      fetch: poller?.watch(fetch) ?? fetch,
      codec: format === 'msgpack' ? createMsgpackCodec() : createCodec(),
      log: createLog(parsed, textOf),
      createRuleIndex,
      lifecycles: [unrefSockets(apiKey), flushOnExit(() => client.stats(), flushOnSigterm)],
      cache: {
        saved,
        save(payload) {
          cache?.save(payload);
          poller?.share();
        },
      },
      ...(poller && { share: poller.connect }),
    },
  );
  made = client;
  return {
    ...client,
    // Its requests have their limits, but let go of the process, which has to stay for who waits (decisions/0013).
    flush: () => within(hostClock, Number.POSITIVE_INFINITY, client.flush(), true),
  };
};

/**
 * Creates a client and starts fetching. The process may exit whenever it has nothing else to do: events are sent
 * first. Throws a TypeError that names a bad option.
 */
export const createNodeClient = (options: NodeClientOptions): NodeClient => outside(create, options);
