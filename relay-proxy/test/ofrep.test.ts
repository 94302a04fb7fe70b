import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as ServerSdk } from '@openfeature/server-sdk';
import { OpenFeature as WebSdk } from '@openfeature/web-sdk';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

const PATIENCE = { timeout: 30_000, interval: 50 };

let upstream: UpstreamServer;
let relay: RelayProcess;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
beforeAll(async () => {
  upstream = await startUpstream(2);
  keys = await upstream.createKeys();
  const { id } = await upstream.admin.flags.getByKey('flag-0');
  const conditions = [{ attribute: 'plan', operator: 'is' as const, value: 'pro' }];
  await upstream.admin.flags.update(id, {
    client_side: true,
    targeting_rules: [{ priority: 1, name: 'pro', conditions, variation: 'on' }],
  });
  await upstream.admin.flags.toggle(id, true);
  relay = await startRelay({ FLAGSVC_RELAY_UPSTREAM_URL: upstream.url, FLAGSVC_RELAY_KEYS: keys.relay });
  await relay.ready();
});
afterEach(async () => {
  await ServerSdk.close();
  await WebSdk.close();
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const pro = { targetingKey: 'u', plan: 'pro' };

test("OpenFeature's provider for servers gets values, reasons and errors, also while the server is down", async () => {
  const headers = { Authorization: `Bearer ${keys.server}` };
  await ServerSdk.setProviderAndWait(new OFREPProvider({ baseUrl: relay.url(), headers }));
  const client = ServerSdk.getClient();
  const check = async (): Promise<void> => {
    expect(await client.getBooleanDetails('flag-0', false, pro)).toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
      variant: 'on',
      flagMetadata: { flagsvc_reason: 'TARGETING_RULE', environment_id: upstream.environmentId },
    });
    expect(await client.getBooleanDetails('flag-1', true, pro)).toMatchObject({ reason: 'DISABLED' });
    expect(await client.getBooleanDetails('none', true, pro)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
    expect(await client.getBooleanDetails('flag-0', true, {})).toMatchObject({
      errorCode: 'TARGETING_KEY_MISSING',
    });
    expect(await client.getStringDetails('flag-0', 'x', pro)).toMatchObject({ errorCode: 'TYPE_MISMATCH' });
  };
  await check();
  await upstream.kill();
  try {
    await check();
  } finally {
    await upstream.start();
  }
});

test("OpenFeature's provider for pages sees only the flags of pages, and follows a change", async () => {
  await WebSdk.setContext(pro);
  const provider = new OFREPWebProvider({
    baseUrl: relay.url(),
    headers: [['X-API-Key', keys.client]],
    pollInterval: 200,
  });
  await WebSdk.setProviderAndWait(provider as never);
  const client = WebSdk.getClient();
  expect(client.getBooleanDetails('flag-0', false)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
  expect(client.getBooleanDetails('flag-1', true)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
  const { id } = await upstream.admin.flags.getByKey('flag-0');
  await upstream.admin.flags.toggle(id, false);
  await expect.poll(() => client.getBooleanDetails('flag-0', true).reason, PATIENCE).toBe('DISABLED');
  await upstream.admin.flags.toggle(id, true);
  await expect.poll(() => client.getBooleanDetails('flag-0', false).value, PATIENCE).toBe(true);
});

test('an unchanged bulk evaluation is 304, and a stream of the protocol announces a change', async () => {
  const url = `${relay.url()}/ofrep/v1/evaluate/flags`;
  const evaluate = (headers: Record<string, string> = {}) =>
    ask(url, keys.server, { body: { context: pro }, headers });
  const first = await evaluate();
  const tag = first.headers.get('etag')!;
  expect([first.status, (await evaluate({ 'if-none-match': tag })).status]).toEqual([200, 304]);
  const { endpoint } = first.json.eventStreams[0];
  const stream = await fetch(`${relay.url()}${endpoint.requestUri}`);
  expect([stream.status, stream.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
  ]);
  const { id, enabled } = await upstream.admin.flags.getByKey('flag-1');
  await upstream.admin.flags.toggle(id, !enabled);
  let text = '';
  for await (const chunk of stream.body!) {
    text += Buffer.from(chunk).toString();
    if (text.includes('refetchEvaluation')) break;
  }
  await expect.poll(async () => (await evaluate({ 'if-none-match': tag })).status, PATIENCE).toBe(200);
});
