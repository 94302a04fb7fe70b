/** The troubles that users of other relays reported, each as a test of this one. `npm run test:relay` tries them. */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { booleanFlag } from '../../reference-server/test/server.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';
const PATIENCE = { timeout: 45_000, interval: 100 };
/** Clients that open a stream and read nothing. */
const STALLED = 20;

// Each test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let upstream: UpstreamServer;
let proxy: FaultyProxy;
let relay: RelayProcess;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
beforeAll(async () => {
  if (!isCampaign) return;
  upstream = await startUpstream(2);
  keys = await upstream.createKeys();
});
afterAll(() => upstream?.close());
beforeEach(async () => {
  if (!isCampaign) return;
  proxy = await startFaultyProxy(upstream.url);
  relay = await startRelay({
    FLAGSVC_RELAY_UPSTREAM_URL: proxy.url,
    FLAGSVC_RELAY_KEYS: keys.relay,
    FLAGSVC_RELAY_SPOOL_MAX: '1MiB',
  });
  await relay.ready();
});
afterEach(async () => {
  await relay?.close();
  await proxy?.close();
});

const ruleset = (origin: string, key = keys.server) => ask(`${origin}/api/v1/sdk/ruleset`, key);
const statusOf = async (key: string) => (await ruleset(relay.url(), key)).status;
const state = async () => (await ask(`${relay.url()}/health`, '')).json;
const toggle = async (): Promise<void> => {
  const { id, enabled } = await upstream.admin.flags.getByKey('flag-0');
  await upstream.admin.flags.toggle(id, !enabled);
};
const versionOf = async (origin: string): Promise<number> => (await ruleset(origin)).json.data.version;
/** Waits until the relay serves the server's version. */
const catchUp = async (): Promise<void> => {
  const newest = await versionOf(upstream.url);
  await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(newest);
};
/** Sends events of about this size. */
const send = (bytes: number, count = 1) => {
  const [timestamp, text] = [new Date().toISOString(), 'x'.repeat(Math.ceil(bytes / count))];
  const events = Array.from({ length: count }, () => {
    return {
      type: 'track',
      id: randomUUID(),
      event_name: 'bought',
      user_key: 'u',
      timestamp,
      properties: { text },
    };
  });
  return ask(`${relay.url()}/api/v1/sdk/events`, keys.server, { body: { batch_id: randomUUID(), events } });
};

test.runIf(isCampaign)(
  'ld-relay#141, ld-relay#56: a relay whose store was emptied serves on, fills it again, and needs no restart',
  async () => {
    const before = await ruleset(relay.url());
    for (const name of await readdir(relay.folder)) {
      // The relay may just be writing one of them.
      await rm(join(relay.folder, name), { recursive: true, force: true });
    }
    expect((await ruleset(relay.url())).text).toBe(before.text);
    await toggle();
    await catchUp();
    await expect
      .poll(() => readdir(join(relay.folder, upstream.environmentId)), PATIENCE)
      .toContain('server.json');
    expect((await send(100)).status).toBe(202);
    // A later start without the server finds everything that it needs.
    await expect
      .poll(() => readdir(relay.folder), PATIENCE)
      .toEqual(expect.arrayContaining([upstream.environmentId, 'keys.json', 'signing-keys.json']));
    await relay.kill();
    await relay.start({ FLAGSVC_RELAY_UPSTREAM_URL: 'http://127.0.0.1:9' });
    expect(await statusOf(keys.server)).toBe(200);
  },
);

test.runIf(isCampaign)('go-server-sdk#92: a subset of the flags never replaces them all', async () => {
  const good = await ruleset(relay.url());
  proxy.set((answer) => {
    if (!answer.path.startsWith('/api/v1/sdk/ruleset') || answer.status !== 200) return answer;
    const { data } = JSON.parse(answer.body.toString());
    return {
      ...answer,
      body: Buffer.from(JSON.stringify({ data: { ...data, flags: data.flags.slice(1) } })),
    };
  });
  await toggle();
  await expect
    .poll(async () => (await state()).environments[0].refusal, PATIENCE)
    .toBe('changed after it was signed');
  expect((await ruleset(relay.url())).text).toBe(good.text);
  proxy.set('none');
  await catchUp();
});

test.runIf(isCampaign)('ld-relay#112: a rotated key works until its grace ends', async () => {
  const { id, key } = await upstream.createKey('server');
  expect(await statusOf(key)).toBe(200);
  const { key: next } = await upstream.admin.apiKeys.rotate(id, { grace_minutes: 60 });
  await expect.poll(() => statusOf(next!), PATIENCE).toBe(200);
  await wait(500);
  expect(await statusOf(key)).toBe(200);
  await upstream.admin.apiKeys.revoke(id);
  await expect.poll(() => statusOf(key), PATIENCE).toBe(401);
});

test.runIf(isCampaign)(
  'ld-relay#113: an unknown state is 503 with Retry-After, and only an unknown key is 401',
  async () => {
    const other = await upstream.createKey('server');
    proxy.set('drop');
    const unsure = await ruleset(relay.url(), other.key);
    expect([unsure.status, unsure.headers.get('retry-after')]).toEqual([503, '5']);
    proxy.set('none');
    await expect.poll(() => statusOf(other.key), PATIENCE).toBe(200);
    await upstream.admin.apiKeys.revoke(other.id);
    await expect.poll(() => statusOf(other.key), PATIENCE).toBe(401);
  },
);

test.runIf(isCampaign)(
  'unleash-edge#1021, multica#7226: an outage with many large batches fills neither memory nor disk',
  async () => {
    // A key that the relay knows.
    expect(await statusOf(keys.server)).toBe(200);
    const before = await memory(relay);
    proxy.set('drop');
    for (let round = 0; round < 60; round++) expect((await send(200_000, 100)).status).toBe(202);
    const { waiting_bytes, dropped } = (await state()).events;
    expect(waiting_bytes).toBeLessThanOrEqual(2 ** 20);
    expect(dropped.spool_full).toBeGreaterThan(1_000);
    expect((await memory(relay)) - before).toBeLessThan(100e6);
    const sizes: number[] = [];
    proxy.set((answer) => {
      if (answer.path.endsWith('/sdk/events')) sizes.push(answer.sentBytes);
      return answer;
    });
    await expect.poll(async () => (await state()).events.waiting_bytes, PATIENCE).toBe(0);
    expect(Math.max(...sizes)).toBeLessThan(2 ** 20);
  },
);

test.runIf(isCampaign)(
  'ld-relay#193, ld-relay#21: every lost event has a cause, in health, metrics and log, and the server learns of it',
  async () => {
    expect(await statusOf(keys.server)).toBe(200);
    const refusal = Buffer.from('{"error":{"code":"VALIDATION_ERROR","message":"no"}}');
    proxy.set((answer) =>
      answer.path.endsWith('/sdk/events') ? { ...answer, status: 400, body: refusal } : answer,
    );
    expect((await send(100, 3)).status).toBe(202);
    await expect.poll(async () => (await state()).events.dropped.rejected, PATIENCE).toBe(3);
    expect(relay.log()).toMatch(/events were dropped/);
    expect(relay.log()).toMatch(/rejected/);
  },
);

test.runIf(isCampaign)(
  'unleash-edge#1583: a half-open stream is noticed, and changes arrive meanwhile',
  { timeout: 120_000 },
  async () => {
    await expect.poll(async () => (await state()).environments[0].streaming, PATIENCE).toBe(true);
    proxy.set('mute');
    await toggle();
    // By a poll, because nothing came on the stream.
    await catchUp();
    await expect.poll(() => proxy.streams(), PATIENCE).toBe(1);
    await expect.poll(async () => (await state()).environments[0].streaming, PATIENCE).toBe(true);
    const before = performance.now();
    await toggle();
    await catchUp();
    expect(performance.now() - before).toBeLessThan(10_000);
  },
);

test.runIf(isCampaign)(
  'unleash-edge#1583: a stream that only a proxy keeps alive hides no change',
  async () => {
    const own = await startRelay(
      { FLAGSVC_RELAY_UPSTREAM_URL: proxy.url, FLAGSVC_RELAY_KEYS: keys.relay },
      'accelerated-relay.ts',
    );
    try {
      await own.ready();
      const isStreaming = async () =>
        (await ask(`${own.url()}/health`, '')).json.environments[0].streaming as boolean;
      await expect.poll(isStreaming, PATIENCE).toBe(true);
      proxy.set('chatter');
      await toggle();
      const newest = await versionOf(upstream.url);
      await expect.poll(() => versionOf(own.url()), PATIENCE).toBe(newest);
    } finally {
      await own.close();
    }
  },
);

test.runIf(isCampaign)(
  'unleash-edge#1454: segments and flags keep the order of the server after each change',
  async () => {
    const { admin, projectId } = upstream;
    const conditions = [{ attribute: 'plan', operator: 'is' as const, value: 'pro' }];
    for (const key of ['zebras', 'apes', 'mice']) {
      await admin.segments.create(projectId, { key, name: key, conditions });
      const flag = await admin.flags.create(booleanFlag(`for-${key}`));
      const rule = { attribute: '$segment', operator: 'is' as const, value: key };
      const targeting_rules = [{ priority: 1, name: key, conditions: [rule], variation: 'on' }];
      await admin.flags.update(flag.id, { targeting_rules });
      await catchUp();
      const [ours, theirs] = [await ruleset(relay.url()), await ruleset(upstream.url)];
      expect([ours.text, ours.headers.get('etag')]).toEqual([theirs.text, theirs.headers.get('etag')]);
    }
    expect((await ruleset(relay.url())).json.data.segments.map((each: { key: string }) => each.key)).toEqual([
      'apes',
      'mice',
      'zebras',
    ]);
  },
);

test.runIf(isCampaign)(
  'opencti#13908, taskplane#664: clients of a stream that read nothing fill no memory, and lose their connection',
  async () => {
    // Its clock is fast, so that it fetches each change at once.
    const own = await startRelay(
      { FLAGSVC_RELAY_UPSTREAM_URL: upstream.url, FLAGSVC_RELAY_KEYS: keys.relay },
      'accelerated-relay.ts',
    );
    await own.ready();
    // The longest ruleset that a stream contains has 64 KiB.
    const value = 'x'.repeat(25_000);
    const { id } = await upstream.admin.flags.create({
      key: 'long',
      name: 'Long',
      flag_type: 'string',
      variations: ['a', 'b'].map((key) => ({ key, name: key, value: `${value}${key}` })),
      default_variation: 'a',
    });
    expect((await ruleset(own.url())).status).toBe(200);
    const [memoryBefore, handlesBefore] = [await memory(own), await handles(own)];
    const sockets = Array.from({ length: STALLED }, () => {
      const socket = connect(Number(new URL(own.url()).port), '127.0.0.1').pause();
      const head = `GET /api/v1/sdk/stream?mode=full HTTP/1.1\r\nHost: a\r\nX-API-Key: ${keys.server}`;
      socket.on('error', () => {}).write(`${head}\r\n\r\n`);
      return socket;
    });
    const open = async (): Promise<number> => (await handles(own)) - handlesBefore;
    try {
      await expect.poll(open, PATIENCE).toBeGreaterThanOrEqual(STALLED);
      const until = performance.now() + 120_000;
      for (let round = 0; (await open()) > STALLED / 10 && performance.now() < until; round++) {
        await upstream.admin.flags.toggle(id, round % 2 === 0);
        expect((await memory(own)) - memoryBefore).toBeLessThan(100e6);
      }
      expect(await open()).toBeLessThanOrEqual(STALLED / 10);
      expect((await ruleset(own.url())).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
      await own.close();
      await upstream.admin.flags.archive(id);
    }
  },
);

test.runIf(isCampaign)(
  'unleash-edge#1609, unleash-edge#1603: a stream that ends while rulesets are fetched, or resumes after a restart, misses no change',
  async () => {
    for (let round = 0; round < 5; round++) {
      await toggle();
      // Ends the stream at once.
      proxy.set('none');
      await toggle();
      await catchUp();
    }
    await relay.kill();
    await toggle();
    await relay.start();
    await catchUp();
  },
);

test.runIf(isCampaign)(
  'unleash-edge#1608, unleash-edge#1279, unleash-edge#1274: trusted proxies, IPv6 and double slashes work',
  async () => {
    const own = await startRelay({
      FLAGSVC_RELAY_UPSTREAM_URL: `${proxy.url}//api//v1/`,
      FLAGSVC_RELAY_KEYS: keys.relay,
      FLAGSVC_RELAY_HOST: '::1',
      FLAGSVC_TRUST_PROXY: '::1',
    });
    try {
      await own.ready();
      const { key } = await upstream.createKey('server', { allowed_ips: ['2001:db8::/32'] });
      const from = async (address: string) =>
        (await ask(`${own.url()}/api/v1/sdk/ruleset`, key, { headers: { 'x-forwarded-for': address } }))
          .status;
      expect([await from('2001:db8::7'), await from('2001:db9::7'), await from('10.0.0.1')]).toEqual([
        200, 403, 403,
      ]);
      expect((await ask(`${own.url()}//api/v1/sdk/ruleset`, key)).status).toBe(404);
      expect((await ask(`${own.url()}/health/ready`, '')).status).toBe(200);
    } finally {
      await own.close();
    }
  },
);

/** Open files and connections of a relay. */
async function handles(of: RelayProcess): Promise<number> {
  return (await readdir(`/proc/${of.pid()}/fd`)).length;
}

/** Resident memory of a relay, in bytes. */
async function memory(of: RelayProcess): Promise<number> {
  const [, pages] = (await readFile(`/proc/${of.pid()}/statm`, 'utf8')).split(' ');
  return Number(pages) * 4_096;
}
