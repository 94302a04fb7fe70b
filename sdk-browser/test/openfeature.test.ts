import { localMode, remoteMode } from '@flagsvc/sdk-browser';
import { createOpenFeatureProvider } from '@flagsvc/sdk-browser/openfeature';
import { OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/web-sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { EVALUATE, EVENTS, evaluateReply, RULESET, rulesetReply } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

afterEach(async () => {
  await OpenFeature.clearProviders();
  OpenFeature.clearHandlers();
  await OpenFeature.setContext({});
});

const setUp = () => {
  const browser = createFakeBrowser();
  browser.server.script(RULESET, rulesetReply(1));
  browser.server.script(EVALUATE, evaluateReply('hello'));
  browser.server.script(EVENTS, { status: 202 });
  return browser;
};
/** Waits for OpenFeature's promises, which the simulated clock does not settle. */
const ticks = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve));
};

test("resolves flags with OpenFeature's reasons", async () => {
  const { openTab, clock } = setUp();
  await OpenFeature.setContext({ targetingKey: 'u2', name: 'u2', since: new Date(0) });
  const flags = openTab().open({ mode: localMode() });
  const started = OpenFeature.setProviderAndWait(createOpenFeatureProvider(flags));
  await clock.advance(0);
  await started;
  const client = OpenFeature.getClient();
  expect(flags.context()).toEqual({
    user_key: 'u2',
    attributes: { name: 'u2', since: '1970-01-01T00:00:00.000Z' },
  });
  expect(client.getStringDetails('who', '')).toMatchObject({
    value: 'second',
    variant: 'second',
    reason: 'TARGETING_MATCH',
    flagMetadata: { rule_id: 'rule_1' },
  });
  expect(client.getStringDetails('greeting', '')).toMatchObject({
    value: 'v1',
    variant: 'only',
    reason: 'STATIC',
    flagMetadata: { version: 1, environment_id: 'env_1', flagSetId: 'env_1', flag_type: 'string' },
  });
  expect(client.getObjectValue('list', [])).toEqual([1, 2, { three: 3 }]);
  expect(client.getBooleanDetails('missing', true)).toMatchObject({
    value: true,
    errorCode: 'FLAG_NOT_FOUND',
  });
  expect(client.getNumberDetails('who', 7)).toMatchObject({ value: 7, errorCode: 'TYPE_MISMATCH' });
});

test('emits changed flags and the status of the client', async () => {
  const { openTab, clock, server } = setUp();
  const emitted: unknown[] = [];
  for (const name of ['ConfigurationChanged', 'Stale', 'Ready'] as const) {
    OpenFeature.addHandler(ProviderEvents[name], (about) => emitted.push([name, about?.flagsChanged]));
  }
  const started = OpenFeature.setProviderAndWait(
    createOpenFeatureProvider(openTab().open({ mode: localMode() })),
  );
  await clock.advance(0);
  await started;
  emitted.length = 0;
  server.script(RULESET, rulesetReply(2));
  await clock.advance(34_000);
  expect(emitted).toEqual([['ConfigurationChanged', ['greeting']]]);
  server.script(RULESET, { status: 500 }, rulesetReply(2));
  await clock.advance(40_000);
  expect(emitted.slice(1)).toEqual([
    ['Stale', undefined],
    ['Ready', undefined],
  ]);
  expect(OpenFeature.getClient().providerStatus).toBe(ProviderStatus.READY);
});

test('a new OpenFeature context is set on the client, and the old answers stay until the new ones arrive', async () => {
  const { openTab, clock, server } = setUp();
  const started = OpenFeature.setProviderAndWait(createOpenFeatureProvider(openTab().open()));
  await clock.advance(0);
  await started;
  const client = OpenFeature.getClient();
  server.script(EVALUATE, evaluateReply('hello', 500));
  const switched = OpenFeature.setContext({ targetingKey: 'u2' });
  await ticks();
  expect([client.getStringValue('me', ''), client.providerStatus]).toEqual([
    'u1',
    ProviderStatus.RECONCILING,
  ]);
  await clock.advance(500);
  await switched;
  expect([client.getStringValue('me', ''), client.providerStatus]).toEqual(['u2', ProviderStatus.READY]);
});

test('the provider is in error while the server is unreachable', async () => {
  const { openTab, clock, server } = setUp();
  server.script(RULESET, { error: new TypeError('offline') });
  const flags = openTab().open({ mode: localMode() });
  const started = OpenFeature.setProviderAndWait(createOpenFeatureProvider(flags, { timeoutMs: 3000 }));
  await ticks();
  started.catch(() => {});
  await clock.advance(3000);
  await expect(started).rejects.toThrow('the client is initializing');
  const client = OpenFeature.getClient();
  expect(client.providerStatus).toBe(ProviderStatus.ERROR);
  expect(client.getStringDetails('greeting', 'default')).toMatchObject({ value: 'default' });
  server.script(RULESET, rulesetReply(1));
  await clock.advance(10_000);
  expect([client.getStringValue('greeting', ''), client.providerStatus]).toEqual([
    'v1',
    ProviderStatus.READY,
  ]);
});

test.each([
  ['local', localMode, RULESET, rulesetReply(1)],
  ['remote', remoteMode, EVALUATE, evaluateReply('v1')],
] as const)(
  'a refused key is fatal while there are no answers, with %s evaluation',
  async (_, mode, path, good) => {
    const { openTab, clock, server } = setUp();
    server.script(path, { status: 401 });
    const started = OpenFeature.setProviderAndWait(
      createOpenFeatureProvider(openTab().open({ mode: (mode as typeof localMode)() })),
    );
    started.catch(() => {});
    await ticks();
    await clock.advance(0);
    await expect(started).rejects.toMatchObject({ code: 'PROVIDER_FATAL' });
    const client = OpenFeature.getClient();
    expect(client.providerStatus).toBe(ProviderStatus.FATAL);
    expect(client.getStringDetails('greeting', 'default')).toMatchObject({
      value: 'default',
      errorCode: 'PROVIDER_FATAL',
    });
    server.script(path, good);
    await clock.advance(120_000);
    expect([client.providerStatus, client.getStringValue('greeting', '')]).toEqual([
      ProviderStatus.READY,
      'v1',
    ]);
    server.script(path, { status: 403 });
    await clock.advance(40_000);
    expect([client.providerStatus, client.getStringValue('greeting', '')]).toEqual([
      ProviderStatus.ERROR,
      'v1',
    ]);
  },
);

test('setting a context fails if the server does not answer; the provider is ready once the server answers', async () => {
  const { openTab, clock, server } = setUp();
  const started = OpenFeature.setProviderAndWait(createOpenFeatureProvider(openTab().open()));
  await clock.advance(0);
  await started;
  const client = OpenFeature.getClient();
  const emitted: string[] = [];
  for (const name of ['ContextChanged', 'Error', 'Ready'] as const)
    client.addHandler(ProviderEvents[name], () => emitted.push(name));
  await ticks();
  emitted.length = 0;
  server.script(EVALUATE, { status: 503 }, evaluateReply('hello'));
  const silent = vi.spyOn(console, 'error').mockImplementation(() => {});
  await OpenFeature.setContext({ targetingKey: 'u2' });
  silent.mockRestore();
  expect([emitted, client.providerStatus, client.getStringValue('me', '')]).toEqual([
    ['Error'],
    ProviderStatus.ERROR,
    'u1',
  ]);
  await clock.advance(2000);
  expect([emitted, client.providerStatus, client.getStringValue('me', '')]).toEqual([
    ['Error', 'Ready'],
    ProviderStatus.READY,
    'u2',
  ]);
});

test('starts within its time limit with the old answers if those for the new context are late', async () => {
  const { openTab, clock, server } = setUp();
  const flags = openTab().open();
  await clock.advance(0);
  server.script(EVALUATE, { delayMs: Number.POSITIVE_INFINITY });
  await OpenFeature.setContext({ targetingKey: 'u2' });
  await OpenFeature.setProviderAndWait(createOpenFeatureProvider(flags, { timeoutMs: 20 }));
  expect(OpenFeature.getClient().getStringValue('me', '')).toBe('u1');
});

test('the provider of a stale client starts as stale, and that of a closed client does not start', async () => {
  const { openTab, clock, server } = setUp();
  const flags = openTab().open();
  await clock.advance(0);
  server.script(EVALUATE, { status: 500 });
  await clock.advance(40_000);
  expect(flags.status()).toBe('stale');
  await OpenFeature.setProviderAndWait(createOpenFeatureProvider(flags));
  await ticks();
  expect(OpenFeature.getClient().providerStatus).toBe(ProviderStatus.STALE);
  await flags.close({ timeoutMs: 0 });
  const late = OpenFeature.setProviderAndWait('late', createOpenFeatureProvider(flags));
  await expect(late).rejects.toThrow('the client is closed');
});

test('forwards track calls, and closes the client when the provider is replaced', async () => {
  const { openTab, clock, server } = setUp();
  const flags = openTab().open();
  const started = OpenFeature.setProviderAndWait(createOpenFeatureProvider(flags));
  await clock.advance(0);
  await started;
  OpenFeature.getClient().track('bought', { value: 3, currency: 'EUR' });
  const cleared = OpenFeature.clearProviders();
  await clock.advance(0);
  await cleared;
  await ticks();
  expect(JSON.parse(server.requests(EVENTS)[0]!.body).events[0]).toMatchObject({
    type: 'track',
    event_name: 'bought',
    user_key: 'u1',
    value: 3,
    properties: { currency: 'EUR' },
  });
  expect(flags.status()).toBe('closed');
});
