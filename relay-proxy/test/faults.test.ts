import { createRulesetSigner, createServingPath } from '@flagsvc/reference-server/data-plane';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FaultyProxy, type PassingAnswer, startFaultyProxy } from './faulty-proxy.ts';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

/** Only `npm run test:relay` tries these faults; `npm test` plays some of the kit's scenarios instead. */
const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';
const PATIENCE = { timeout: 45_000, interval: 50 };

let upstream: UpstreamServer;
let proxy: FaultyProxy;
let relay: RelayProcess;
let relayKey: string;
let serverKey: string;
beforeAll(async () => {
  if (!isCampaign) return;
  upstream = await startUpstream(2);
  ({ relay: relayKey, server: serverKey } = await upstream.createKeys());
});
afterAll(() => upstream?.close());

const evaluate = () =>
  ask(`${relay.url()}/api/v1/evaluate`, serverKey, { body: { flags: ['*'], context: { user_key: 'u' } } });
const rulesetOf = (origin: string, key = serverKey) => ask(`${origin}/api/v1/sdk/ruleset`, key);
const versionOf = async (origin: string): Promise<number> => (await rulesetOf(origin)).json.data.version;
const stateOf = async () => (await ask(`${relay.url()}/health`, '')).json;
const toggle = async (): Promise<void> => {
  const { id, enabled } = await upstream.admin.flags.getByKey('flag-0');
  await upstream.admin.flags.toggle(id, !enabled);
};

/** Changes whole rulesets, and lets everything else pass. */
const rulesets =
  (change: (answer: PassingAnswer) => Partial<PassingAnswer>) =>
  (answer: PassingAnswer): PassingAnswer =>
    answer.path.startsWith('/api/v1/sdk/ruleset') && answer.status === 200
      ? { ...answer, ...change(answer) }
      : answer;
const withData = (change: (data: Record<string, unknown>) => object) =>
  rulesets(({ body }) => {
    const { data } = JSON.parse(body.toString());
    return { body: Buffer.from(JSON.stringify({ data: change(data) })) };
  });

describe.runIf(isCampaign).each(['stream', 'poll'])('in the mode %s', (mode) => {
  beforeEach(async () => {
    proxy = await startFaultyProxy(upstream.url);
    const env = {
      FLAGSVC_RELAY_UPSTREAM_URL: proxy.url,
      FLAGSVC_RELAY_KEYS: relayKey,
      FLAGSVC_RELAY_MODE: mode,
    };
    // Polls every 15 seconds would only make the tests wait.
    relay = await startRelay(env, mode === 'poll' ? 'accelerated-relay.ts' : undefined);
    await relay.ready();
    await expect.poll(async () => (await evaluate()).status, PATIENCE).toBe(200);
  });
  afterEach(async () => {
    await relay.close();
    await proxy.close();
  });

  /** Changes the ruleset while there is this fault; the relay must keep the good one, and recover by itself. */
  const survive = async (fault: Parameters<FaultyProxy['set']>[0], refusal: string | null): Promise<void> => {
    const good = await rulesetOf(relay.url());
    proxy.set(fault);
    await toggle();
    await expect.poll(() => proxy.faulty(), PATIENCE).toBeGreaterThanOrEqual(1);
    if (refusal !== null) {
      await expect.poll(async () => (await stateOf()).environments[0].refusal, PATIENCE).toBe(refusal);
    }
    const during = await rulesetOf(relay.url());
    expect([during.text, during.headers.get('etag')]).toEqual([good.text, good.headers.get('etag')]);
    expect((await evaluate()).status).toBe(200);
    proxy.set('none');
    const newest = await versionOf(upstream.url);
    await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(newest);
    expect((await stateOf()).environments[0].refusal).toBeNull();
  };

  test('keeps the good ruleset while changed, older and wrongly signed ones come', async () => {
    const { text, headers } = await rulesetOf(upstream.url);
    const tags = ['etag', 'x-flagsvc-signature'].map((name) => [name, headers.get(name)!]);
    const old = rulesets(({ headers: own }) => ({
      body: Buffer.from(text),
      headers: { ...own, ...Object.fromEntries(tags) },
    }));
    await toggle();
    const newer = await versionOf(upstream.url);
    await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(newer);
    const stranger = createRulesetSigner('s'.repeat(32));
    const published = await createServingPath({ fast: true }).prepare(JSON.parse(text).data, 'e');
    const foreign = await stranger.sign(published);
    const cases: readonly (readonly [string, Parameters<FaultyProxy['set']>[0]])[] = [
      ['changed after it was signed', withData((data) => ({ ...data, flags: [] }))],
      ['not a ruleset', withData(() => ({}))],
      ['older than the one in use', old],
      [
        'signed by an unknown key',
        rulesets(({ headers: own }) => ({ headers: { ...own, 'x-flagsvc-signature': foreign } })),
      ],
    ];
    for (const [refusal, fault] of cases) await survive(fault, refusal);
  });

  test.each([
    ['answers are cut off', 'cut'],
    ['connections are dropped', 'drop'],
    ['the server answers in small pieces', 'drip'],
    [
      'a page of a proxy comes',
      rulesets(() => ({ body: Buffer.from('<html>'), headers: { 'content-type': 'text/html' } })),
    ],
    ['answers are empty', rulesets(() => ({ body: Buffer.alloc(0) }))],
    ['the server answers 500', rulesets(() => ({ status: 500, body: Buffer.from('{}') }))],
    ['an answer is not UTF-8', rulesets(() => ({ body: Buffer.from([0x7b, 0xff, 0x7d]) }))],
  ] as const)('keeps the good ruleset while %s', async (_, fault) => {
    // Slow answers are good ones.
    if (fault !== 'drip') return survive(fault, null);
    proxy.set(fault);
    await toggle();
    const newest = await versionOf(upstream.url);
    await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(newest);
  });

  test('answers while the server is unreachable without a word', async () => {
    proxy.set('hang');
    await toggle();
    await expect.poll(() => proxy.faulty(), PATIENCE).toBeGreaterThanOrEqual(1);
    for (let round = 0; round < 50; round++) expect((await evaluate()).status).toBe(200);
    proxy.set('none');
    const newest = await versionOf(upstream.url);
    await expect.poll(() => versionOf(relay.url()), { ...PATIENCE, timeout: 58_000 }).toBe(newest);
  });

  test('follows a restored backup, whose versions are older', async () => {
    const backup = await upstream.copyDatabase();
    for (let change = 0; change < 3; change++) await toggle();
    const newest = await versionOf(upstream.url);
    await expect.poll(() => versionOf(relay.url()), PATIENCE).toBe(newest);
    await upstream.restoreDatabase(backup);
    const restored = await rulesetOf(upstream.url);
    expect(restored.json.data.version).toBeLessThan(newest);
    await expect.poll(async () => (await rulesetOf(relay.url())).text, PATIENCE).toBe(restored.text);
  });

  test('refuses a revoked key within 30 seconds', { timeout: 90_000 }, async () => {
    const own = await startRelay({
      FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
      FLAGSVC_RELAY_KEYS: relayKey,
      FLAGSVC_RELAY_MODE: mode,
    });
    try {
      await own.ready();
      const { id, key } = await upstream.createKey('server');
      const status = async () => (await rulesetOf(own.url(), key)).status;
      expect(await status()).toBe(200);
      await upstream.admin.apiKeys.revoke(id);
      const revokedAt = performance.now();
      await expect.poll(status, { timeout: 40_000, interval: 100 }).toBe(401);
      expect(performance.now() - revokedAt).toBeLessThan(30_000);
    } finally {
      await own.close();
    }
  });

  test('a revoked relay key counts as an outage', async () => {
    const other = await upstream.createKey('relay');
    const own = await startRelay({
      FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
      FLAGSVC_RELAY_KEYS: other.key,
      FLAGSVC_RELAY_MODE: mode,
      FLAGSVC_RELAY_KEY_TRUST: '40s',
    });
    try {
      await own.ready();
      const status = async (key: string) => (await rulesetOf(own.url(), key)).status;
      expect(await status(serverKey)).toBe(200);
      await upstream.admin.apiKeys.revoke(other.id);
      await expect.poll(() => own.log(), PATIENCE).toContain('it was revoked or has expired');
      const fresh = await upstream.createKey('server');
      expect([await status(serverKey), await status(fresh.key)]).toEqual([200, 503]);
      await expect.poll(() => status(serverKey), { timeout: 50_000, interval: 500 }).toBe(503);
    } finally {
      await own.close();
    }
  }, 90_000);
});

test.runIf(isCampaign)('serves several environments, each with its own rulesets and keys', async () => {
  const staging = await upstream.inEnvironment('staging');
  const [stagingRelay, stagingKey] = [await staging.createKey('relay'), await staging.createKey('client')];
  relay = await startRelay({
    FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
    FLAGSVC_RELAY_KEYS: `${relayKey},${stagingRelay.key}`,
  });
  try {
    await relay.ready();
    const environmentOf = async (key: string) => (await rulesetOf(relay.url(), key)).json.data.environment_id;
    expect(await Promise.all([environmentOf(serverKey), environmentOf(stagingKey.key)])).toEqual([
      upstream.environmentId,
      staging.environmentId,
    ]);
    expect((await evaluate()).json.data.evaluations).toHaveProperty('flag-0');
    await staging.revoke(stagingKey.id);
    const status = async () => (await rulesetOf(relay.url(), stagingKey.key)).status;
    await expect.poll(status, PATIENCE).toBe(401);
    expect(await environmentOf(serverKey)).toBe(upstream.environmentId);
    expect((await stateOf()).environments).toHaveLength(2);
  } finally {
    await relay.close();
  }
});
