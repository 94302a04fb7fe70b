import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

/** `npm run test:relay` tries all outages in both modes; `npm test` tries one. */
const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';

let upstream: UpstreamServer;
let relay: RelayProcess;
let relayKey: string;
let serverKey: string;
let pageKey: string;
beforeAll(async () => {
  upstream = await startUpstream(3);
  ({ relay: relayKey, server: serverKey, client: pageKey } = await upstream.createKeys());
});
afterAll(() => upstream.close());

const evaluate = (key = serverKey) =>
  ask(`${relay.url()}/api/v1/evaluate`, key, { body: { flags: ['*'], context: { user_key: 'u' } } });
const readiness = async () => (await ask(`${relay.url()}/health/ready`, '')).status;

describe.each(isCampaign ? ['stream', 'poll'] : ['stream'])('in the mode %s', (mode) => {
  const configuration = () => ({
    FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
    FLAGSVC_RELAY_KEYS: relayKey,
    FLAGSVC_RELAY_MODE: mode,
  });
  beforeEach(async () => {
    relay = await startRelay(configuration());
  });
  afterEach(() => relay.close());

  /** Sends one batch of events through the relay. */
  const send = (batchId: string, count: number) => {
    const at = new Date().toISOString();
    const counter = { flag_key: 'flag-0', variation_key: 'on', reason: 'DEFAULT', rule_id: null };
    const summary = {
      type: 'summary',
      start: at,
      end: at,
      counters: [{ ...counter, ruleset_version: 1, count }],
    };
    const body = { batch_id: `${mode} ${batchId}`, events: [summary] };
    return ask(`${relay.url()}/api/v1/sdk/events`, serverKey, { body });
  };
  /** The evaluations of flag-0 that the server has counted. */
  const counted = async (): Promise<number> => {
    const { id } = await upstream.admin.flags.getByKey('flag-0');
    const { total } = await upstream.admin.flags.metrics(id);
    return total;
  };

  test('answers while the server is down, also after a restart, and counts events exactly once', async () => {
    await expect.poll(readiness).toBe(200);
    const before = await evaluate();
    expect([before.status, (await evaluate(pageKey)).status]).toEqual([200, 200]);
    const start = await counted();
    await upstream.kill();
    try {
      for (let round = 0; round < 200; round++) expect((await evaluate()).status).toBe(200);
      expect((await send('a', 5)).status).toBe(202);
      // Acknowledged events survive the end of the process.
      await relay.kill();
      await relay.start();
      expect(await readiness()).toBe(200);
      const after = await evaluate();
      expect(after.json.data.evaluations).toEqual(before.json.data.evaluations);
      expect((await evaluate(pageKey)).status).toBe(200);
      expect((await send('b', 7)).status).toBe(202);
      expect((await send('b', 7)).status).toBe(202);
      // A key that the relay has never seen is in an unknown state, not unknown.
      const unknown = await evaluate(relayKey);
      expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '5']);
    } finally {
      await upstream.start();
    }
    await expect.poll(counted, { timeout: 40_000, interval: 500 }).toBe(start + 12);
    const { id, enabled } = await upstream.admin.flags.getByKey('flag-1');
    await upstream.admin.flags.toggle(id, !enabled);
    const reason = async () => (await evaluate()).json.data.evaluations['flag-1'].reason;
    await expect.poll(reason, { timeout: 40_000 }).toBe(enabled ? 'DISABLED' : 'DEFAULT');
    expect(await counted()).toBe(start + 12);
  });

  test.runIf(isCampaign)(
    'stays up without a server and without data, and becomes ready by itself',
    async () => {
      await relay.close();
      await upstream.kill();
      try {
        relay = await startRelay(configuration());
        expect(await readiness()).toBe(503);
        expect((await ask(`${relay.url()}/health/live`, '')).status).toBe(200);
        const answer = await evaluate();
        expect([answer.status, answer.json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
        expect(answer.headers.get('retry-after')).toBe('5');
      } finally {
        await upstream.start();
      }
      await expect.poll(readiness, { timeout: 40_000 }).toBe(200);
      expect((await evaluate()).status).toBe(200);
    },
  );

  test.runIf(isCampaign)('answers while the server is frozen', async () => {
    await expect.poll(readiness).toBe(200);
    await evaluate();
    upstream.signal('SIGSTOP');
    try {
      for (let round = 0; round < 50; round++) expect((await evaluate()).status).toBe(200);
      expect((await evaluate(relayKey)).status).toBe(503);
    } finally {
      upstream.signal('SIGCONT');
    }
  });

  test.runIf(isCampaign)('does not serve a ruleset on disk that was changed', async () => {
    await expect.poll(readiness).toBe(200);
    await evaluate();
    const path = join(relay.folder, upstream.environmentId, 'server.json');
    await expect.poll(() => readdir(join(relay.folder, upstream.environmentId))).toContain('server.json');
    await relay.kill();
    await upstream.kill();
    try {
      const saved = JSON.parse(await readFile(path, 'utf8'));
      saved.data.flags[0].enabled = !saved.data.flags[0].enabled;
      await writeFile(path, JSON.stringify(saved));
      await relay.start();
      expect([await readiness(), (await evaluate()).status]).toEqual([503, 503]);
      expect(relay.log()).toContain('changed after it was signed');
    } finally {
      await upstream.start();
    }
    await expect.poll(readiness, { timeout: 40_000 }).toBe(200);
  });
});
