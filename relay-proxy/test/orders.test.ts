/** Orders of events in which plugs are pulled, disks fail and clocks jump. `npm test` tries some of them. */
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';
const PATIENCE = { timeout: 45_000, interval: 100 };
const NOWHERE = { FLAGSVC_RELAY_UPSTREAM_URL: 'http://127.0.0.1:9' };
const SOURCE = ['--conditions=@flagsvc/source', new URL('../src/process/main.ts', import.meta.url).pathname];
/** Runs the relay under a shell that limits the size of files; Node replaces itself by the shell. */
const SMALL_FILES = [
  ...['--eval', 'process.execve("/bin/sh", ["sh", ...process.argv.slice(1)])', '--', '-c'],
  ...['trap "" XFSZ; ulimit -f 100; exec "$0" "$@"', process.execPath, ...SOURCE],
];

// Each test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let upstream: UpstreamServer;
let proxy: FaultyProxy;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
const relays: RelayProcess[] = [];
beforeAll(async () => {
  upstream = await startUpstream(2);
  keys = await upstream.createKeys();
});
afterAll(() => upstream?.close());
beforeEach(async () => {
  proxy = await startFaultyProxy(upstream.url);
});
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.close();
  await proxy.close();
});

const start = async (
  env: Record<string, string> = {},
  program?: readonly string[],
): Promise<RelayProcess> => {
  const own = { FLAGSVC_RELAY_UPSTREAM_URL: proxy.url, FLAGSVC_RELAY_KEYS: keys.relay };
  const relay = await startRelay({ ...own, ...env }, program);
  relays.push(relay);
  return relay;
};
const statusOf = async (relay: RelayProcess, key = keys.server): Promise<number> =>
  (await ask(`${relay.url()}/api/v1/sdk/ruleset`, key)).status;
const versionOf = async (origin: string): Promise<number> =>
  (await ask(`${origin}/api/v1/sdk/ruleset`, keys.server)).json.data.version;
const toggle = async (): Promise<void> => {
  const { id, enabled } = await upstream.admin.flags.getByKey('flag-0');
  await upstream.admin.flags.toggle(id, !enabled);
};
/** Sends one evaluation of flag-0. */
const send = (relay: RelayProcess, batchId: string = randomUUID()) => {
  const at = new Date().toISOString();
  const counter = { flag_key: 'flag-0', variation_key: 'on', reason: 'DEFAULT', rule_id: null, count: 1 };
  const events = [{ type: 'summary', start: at, end: at, counters: [{ ...counter, ruleset_version: 1 }] }];
  return ask(`${relay.url()}/api/v1/sdk/events`, keys.server, { body: { batch_id: batchId, events } });
};
const counted = async (): Promise<number> => {
  const { id } = await upstream.admin.flags.getByKey('flag-0');
  return (await upstream.admin.flags.metrics(id)).total;
};

test('a key that is revoked while the relay is cut off is refused as soon as the relay is back', async () => {
  const { id, key } = await upstream.createKey('server');
  const relay = await start();
  await relay.ready();
  expect(await statusOf(relay, key)).toBe(200);
  proxy.set('drop');
  await upstream.admin.apiKeys.revoke(id);
  await wait(1_000);
  expect(await statusOf(relay, key)).toBe(200);
  proxy.set('none');
  await expect.poll(() => statusOf(relay, key), { ...PATIENCE, timeout: 30_000 }).toBe(401);
  expect(await statusOf(relay)).toBe(200);
});

test.runIf(isCampaign)(
  'a backup that is restored while the relay is off is followed after its start',
  async () => {
    const backup = await upstream.copyDatabase();
    for (let change = 0; change < 3; change++) await toggle();
    const relay = await start();
    await relay.ready();
    expect(await statusOf(relay)).toBe(200);
    const newest = await versionOf(relay.url());
    await relay.kill();
    await upstream.restoreDatabase(backup);
    await relay.start();
    const restored = await versionOf(upstream.url);
    expect(restored).toBeLessThan(newest);
    await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(restored);
  },
);

test.runIf(isCampaign)(
  'two relays on one data folder, as during a restart that overlaps, count every event once',
  async () => {
    const before = await counted();
    const first = await start();
    await first.ready();
    proxy.set((answer) => (answer.path.endsWith('/sdk/events') ? { ...answer, status: 503 } : answer));
    for (let count = 0; count < 10; count++) expect((await send(first)).status).toBe(202);
    const second = await start({ FLAGSVC_RELAY_DATA_DIR: first.folder });
    await second.ready();
    for (let count = 0; count < 10; count++) {
      expect((await send(first)).status).toBe(202);
      expect((await send(second)).status).toBe(202);
    }
    proxy.set('none');
    await expect.poll(counted, PATIENCE).toBe(before + 30);
    await wait(2_000);
    expect(await counted()).toBe(before + 30);
  },
);

test.runIf(isCampaign)('kill -9 at any moment loses no acknowledged batch, and repeats none', async () => {
  const before = await counted();
  const relay = await start({ FLAGSVC_LOG_LEVEL: 'error' });
  await relay.ready();
  let acknowledged = 0;
  let unsure = 0;
  for (let round = 0; round < 6; round++) {
    const batches = Array.from({ length: 40 }, async () => {
      const status = await send(relay).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 202) acknowledged += 1;
      else unsure += 1;
    });
    await wait(30 + Math.random() * 200);
    await relay.kill();
    await Promise.all(batches);
    await relay.start();
    await relay.ready();
  }
  expect(acknowledged).toBeGreaterThan(0);
  const waiting = async () => (await ask(`${relay.url()}/health`, '')).json.events.waiting_bytes;
  // At least ten batches a second.
  await expect.poll(waiting, { timeout: 150_000, interval: 500 }).toBe(0);
  // A batch whose answer was lost may have been stored.
  const total = (await counted()) - before;
  expect(total).toBeGreaterThanOrEqual(acknowledged);
  expect(total).toBeLessThanOrEqual(acknowledged + unsure);
});

test.runIf(isCampaign)(
  'a full disk refuses events with 503 and loses none that it took; flags are served, and so are events later',
  async () => {
    // A limit of the size of files stands for the full disk.
    const before = await counted();
    const relay = await start({}, SMALL_FILES);
    await relay.ready();
    proxy.set((answer) => (answer.path.endsWith('/sdk/events') ? { ...answer, status: 503 } : answer));
    const statuses: number[] = [];
    for (let count = 0; count < 400; count++) statuses.push((await send(relay)).status);
    const taken = statuses.filter((status) => status === 202).length;
    expect(new Set(statuses)).toEqual(new Set([202, 503]));
    expect(await statusOf(relay)).toBe(200);
    expect(relay.log()).toContain('EFBIG');
    proxy.set('none');
    await expect.poll(counted, { ...PATIENCE, timeout: 50_000 }).toBe(before + taken);
    expect((await ask(`${relay.url()}/health`, '')).json.events.dropped.damaged).toBe(0);
    expect((await send(relay)).status).toBe(202);
  },
);

test.runIf(isCampaign).each([
  ['fails', '/dev/null/flagsvc-relay', 'FLAGSVC_RELAY_DATA_DIR'],
  // There, Node tries again and again to create the folder.
  ['never answers', '/proc/flagsvc-relay', 'The disk does not answer'],
])(
  'events are refused while the data folder %s, the log says why, and flags are served',
  async (_, folder, reason) => {
    const relay = await start({ FLAGSVC_RELAY_DATA_DIR: folder });
    await relay.ready();
    expect([await statusOf(relay), await statusOf(relay, keys.client)]).toEqual([200, 200]);
    await toggle();
    const newest = await versionOf(upstream.url);
    await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(newest);
    const refused = await send(relay);
    expect([refused.status, refused.json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(relay.log()).toContain(reason);
  },
);

test.runIf(isCampaign)(
  'a copied data folder serves where no server can be reached, for as long as keys are trusted',
  async () => {
    const connected = await start();
    await connected.ready();
    for (const key of [keys.server, keys.client]) expect(await statusOf(connected, key)).toBe(200);
    expect(await connected.stop()).toBe(0);
    const copy = await mkdtemp(join(tmpdir(), 'flagsvc-relay-copy-'));
    try {
      await cp(connected.folder, copy, { recursive: true });
      const isolated = { ...NOWHERE, FLAGSVC_RELAY_DATA_DIR: copy, FLAGSVC_RELAY_KEY_TRUST: '365d' };
      const relay = await start(isolated);
      expect((await ask(`${relay.url()}/health/ready`, '')).status).toBe(200);
      expect([await statusOf(relay), await statusOf(relay, keys.client)]).toEqual([200, 200]);
      expect(await statusOf(relay, keys.relay)).toBe(503);
    } finally {
      await rm(copy, { recursive: true });
    }
  },
);

test.runIf(isCampaign)(
  'a clock that jumped refuses no valid key while the server answers, and trusts no key longer than it may',
  async () => {
    const relay = await start({ FLAGSVC_RELAY_KEY_TRUST: '1h' });
    await relay.ready();
    expect(await statusOf(relay)).toBe(200);
    await relay.kill();
    const path = join(relay.folder, 'keys.json');
    const saved = JSON.parse(await readFile(path, 'utf8'));
    const jump = async (byMs: number, env: Record<string, string>): Promise<readonly number[]> => {
      const known = Object.entries(saved.keys as Record<string, object>).map(([hash, key]) => [
        hash,
        { ...key, confirmedAt: Date.now() + byMs },
      ]);
      await writeFile(path, JSON.stringify({ keys: Object.fromEntries(known) }));
      await relay.start(env);
      const first = await statusOf(relay);
      await wait(1_500);
      const statuses = [first, await statusOf(relay)];
      await relay.kill();
      return statuses;
    };
    const hours = 3_600_000;
    expect(await jump(-2 * hours, {})).toEqual([200, 200]);
    expect(await jump(-2 * hours, NOWHERE)).toEqual([503, 503]);
    expect(await jump(1_000 * hours, { ...NOWHERE, FLAGSVC_RELAY_KEY_TRUST: '1s' })).toEqual([200, 503]);
  },
);

test.runIf(isCampaign)(
  'a relay behind a relay, or behind a server that is older, stays up and says what is wrong',
  async () => {
    const first = await start();
    await first.ready();
    const old = createServer((_request, response) => response.writeHead(404).end('{}')).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => old.once('listening', resolve));
    const port = (old.address() as AddressInfo).port;
    try {
      for (const url of [first.url(), `http://127.0.0.1:${port}`]) {
        const relay = await start({ FLAGSVC_RELAY_UPSTREAM_URL: url });
        await expect
          .poll(() => relay.log(), PATIENCE)
          .toContain('an older server or another relay cannot be followed');
        expect((await ask(`${relay.url()}/health/live`, '')).status).toBe(200);
        expect(await statusOf(relay)).toBe(503);
      }
    } finally {
      old.close();
    }
  },
);

test.runIf(isCampaign)('two keys of one environment are named in the log', async () => {
  const { key } = await upstream.createKey('relay');
  const relay = await start({ FLAGSVC_RELAY_KEYS: `${keys.relay},${key}` });
  await relay.ready();
  await expect.poll(() => relay.log(), PATIENCE).toContain('belong to the same environment');
  expect(await statusOf(relay)).toBe(200);
});

test.runIf(isCampaign)('a relay that was frozen serves the newest ruleset soon after it wakes', async () => {
  const relay = await start();
  await relay.ready();
  expect(await statusOf(relay)).toBe(200);
  relay.signal('SIGSTOP');
  await toggle();
  const newest = await versionOf(upstream.url);
  await wait(1_500);
  relay.signal('SIGCONT');
  await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(newest);
});
