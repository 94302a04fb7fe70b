import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStream } from '../../reference-server/test/stream.ts';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

const EVALUATION = { flags: ['*'], context: { user_key: 'u' } };

let upstream: UpstreamServer;
let relay: RelayProcess;
let relayKey: string;
let serverKey: string;
let pageKey: string;
beforeAll(async () => {
  upstream = await startUpstream(3);
  ({ relay: relayKey, server: serverKey, client: pageKey } = await upstream.createKeys());
  relay = await startRelay({ FLAGSVC_RELAY_UPSTREAM_URL: upstream.url, FLAGSVC_RELAY_KEYS: relayKey });
  await vi.waitFor(
    async () => expect((await ask(`${relay.url()}/health/ready`, '')).status).toBe(200),
    15_000,
  );
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const evaluate = (key = serverKey) => ask(`${relay.url()}/api/v1/evaluate`, key, { body: EVALUATION });
const ruleset = (origin: string, key: string, headers: Record<string, string> = {}) =>
  ask(`${origin}/api/v1/sdk/ruleset`, key, { headers });

test('sends the ruleset of each kind of key with the bytes, the tag and the signature of the server', async () => {
  for (const key of [serverKey, pageKey, relayKey]) {
    const theirs = await ruleset(upstream.url, key);
    const ours = await ruleset(relay.url(), key);
    expect(ours.text).toBe(theirs.text);
    for (const name of ['etag', 'x-flagsvc-signature', 'cache-control', 'vary', 'content-type']) {
      expect([name, ours.headers.get(name)]).toEqual([name, theirs.headers.get(name)]);
    }
    expect(ours.headers.get('x-flagsvc-signature')).toMatch(/./);
    const again = await ruleset(relay.url(), key, { 'if-none-match': theirs.headers.get('etag')! });
    expect([again.status, again.text]).toEqual([304, '']);
  }
});

test('serves the public keys of the server', async () => {
  const path = '/.well-known/flagsvc-ruleset-keys.json';
  const ours = await ask(`${relay.url()}${path}`, '');
  expect(ours.json).toEqual((await ask(`${upstream.url}${path}`, '')).json);
});

test('answers the protocol of OpenFeature as the server does', async () => {
  const body = { context: { targetingKey: 'u' } };
  for (const path of ['/ofrep/v1/evaluate/flags/flag-0', '/ofrep/v1/evaluate/flags']) {
    const [ours, theirs] = await Promise.all(
      [relay.url(), upstream.url].map((origin) => ask(`${origin}${path}`, serverKey, { body })),
    );
    // Each answer has another token, which only who made it can open.
    const withoutTokens = (text: string) => text.replaceAll(/token=[^"]+/g, 'token');
    expect([ours!.status, withoutTokens(ours!.text)]).toEqual([theirs!.status, withoutTokens(theirs!.text)]);
  }
});

test('refuses unknown keys, and a revoked key at once', async () => {
  expect((await evaluate(`${serverKey.slice(0, -1)}x`)).status).toBe(401);
  const brief = await upstream.createKey('server');
  expect((await evaluate(brief.key)).status).toBe(200);
  await upstream.admin.apiKeys.revoke(brief.id);
  await expect.poll(async () => (await evaluate(brief.key)).status, { timeout: 3_000 }).toBe(401);
});

test('obeys the restrictions of a key, and their changes', async () => {
  const { id, key } = await upstream.createKey('client');
  const from = (origin: string) => ask(`${relay.url()}/api/v1/sdk/ruleset`, key, { headers: { origin } });
  expect((await from('https://other.example.com')).status).toBe(200);
  await upstream.admin.apiKeys.update(id, { allowed_origins: ['https://shop.example.com'] });
  await expect.poll(async () => (await from('https://other.example.com')).status).toBe(403);
  expect((await from('https://shop.example.com')).status).toBe(200);
});

test('tells its streams of a change', async () => {
  const stream = await openStream(`${relay.url()}/api/v1/sdk/stream`, { 'x-api-key': serverKey });
  const { data: first } = await stream.next();
  const { id, enabled } = await upstream.admin.flags.getByKey('flag-0');
  await upstream.admin.flags.toggle(id, !enabled);
  const { event, data } = await stream.next();
  expect([event, data.version]).toEqual(['ruleset.updated', first.version + 1]);
  expect(data.changed_flags).toEqual(['flag-0']);
  expect((await ruleset(relay.url(), serverKey)).text).toBe((await ruleset(upstream.url, serverKey)).text);
  stream.close();
});

test('reports its state', async () => {
  const { status, json } = await ask(`${relay.url()}/health`, '');
  expect([status, json]).toEqual([
    200,
    {
      status: 'ok',
      version: expect.stringMatching(/^\d/),
      mode: 'relay',
      environments: [
        {
          environment_id: upstream.environmentId,
          ruleset_version: expect.any(Number),
          confirmed_at: expect.stringMatching(/Z$/),
          streaming: true,
          refusal: null,
        },
      ],
      events: { waiting_bytes: expect.any(Number), dropped: expect.any(Object) },
    },
  ]);
});
