/** The door for Node. */
import { resolve } from 'node:path';
import { type Report, within } from '@flagsvc/sdk-core/client';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { createCodec } from './codec.ts';
import { createDiskCache } from './disk-cache.ts';
import { textOf } from './fault-text.ts';
import { hostClock, outside } from './host-clock.ts';
import { loadStreaming } from './load-streaming.ts';
import { createMsgpackCodec } from './msgpack-codec.ts';
import { type NodeClient, type NodeClientOptions, parseNodeOptions } from './options.ts';
import { flushOnExit } from './process-exit.ts';
import { createLog, createServerClient, type ServerClient } from './server-client.ts';
import { createSharedPoller } from './shared-poller.ts';
import { unrefSockets } from './unref-sockets.ts';
import { VERSION } from './version.ts';
import { webFetch } from './web-platform.ts';

export type { NodeClient, NodeClientOptions, ServerClientOptions } from './options.ts';
export type * from './public-types.ts';

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
    // Its requests have their limits, but let go of the process, which has to stay for who waits (decision 0161).
    flush: () => within(hostClock, Number.POSITIVE_INFINITY, client.flush(), true),
  };
};

/**
 * Creates a client and starts fetching. The process may exit whenever it has nothing else to do: events are sent
 * first. Throws a TypeError that names a bad option.
 */
export const createNodeClient = (options: NodeClientOptions): NodeClient => outside(create, options);
