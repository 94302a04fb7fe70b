import { createNodeClient, type NodeClient } from '@flagsvc/sdk-node';
import { streaming } from '@flagsvc/sdk-node/streaming';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

const PATIENCE = { timeout: 40_000, interval: 50 };
const user = { user_key: 'u' };

let upstream: UpstreamServer;
let relay: RelayProcess;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
beforeAll(async () => {
  upstream = await startUpstream(2);
  keys = await upstream.createKeys();
  relay = await startRelay({ FLAGSVC_RELAY_UPSTREAM_URL: upstream.url, FLAGSVC_RELAY_KEYS: keys.relay });
  await relay.ready();
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const toggle = async (enabled: boolean): Promise<void> => {
  const { id } = await upstream.admin.flags.getByKey('flag-0');
  await upstream.admin.flags.toggle(id, enabled);
};
const counted = async (): Promise<number> => {
  const { id } = await upstream.admin.flags.getByKey('flag-0');
  return (await upstream.admin.flags.metrics(id)).total;
};

test.each([
  ['polls', undefined],
  ['streams', streaming],
] as const)('sdk-node %s behind a relay, notices no outage, and its events count once', async (_, stream) => {
  const before = await counted();
  const faults: unknown[] = [];
  const client: NodeClient = createNodeClient({
    apiKey: keys.server,
    baseUrl: `${relay.url()}/api/v1`,
    pollIntervalMs: 300,
    flushIntervalMs: 300,
    logger: false,
    ...(stream && { streaming: stream }),
  });
  client.on('error', (fault) => faults.push(fault));
  let evaluations = 0;
  const reason = (): string => {
    evaluations += 1;
    return client.flagDetails('flag-0', user, false).reason;
  };
  try {
    expect(await client.ready({ timeoutMs: 10_000 })).toBe('ready');
    await toggle(true);
    await expect.poll(reason, PATIENCE).toBe('DEFAULT');
    await upstream.kill();
    for (const end = performance.now() + 1_500; performance.now() < end; ) {
      expect([reason(), client.status()]).toEqual(['DEFAULT', 'ready']);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await upstream.start();
    await toggle(false);
    await expect.poll(reason, PATIENCE).toBe('DISABLED');
    expect(faults).toEqual([]);
  } finally {
    await client.close();
  }
  await expect.poll(counted, { timeout: 40_000, interval: 200 }).toBe(before + evaluations);
});
