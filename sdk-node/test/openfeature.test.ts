import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient } from '@flagsvc/sdk-node';
import { createOpenFeatureProvider } from '@flagsvc/sdk-node/openfeature';
import { OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/server-sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';

let server: LoopbackServer;
const rulesetOf = (greeting: string) =>
  createTestRuleset([
    createTestFlag('greeting', greeting),
    createTestFlag('list', [1, 2]),
    createTestFlag('beta', false, {
      targeting_rules: [
        {
          id: 'rule_1',
          priority: 1,
          conditions: [{ attribute: 'plan', operator: 'is', value: 'pro' }],
          variation: 'on',
        },
        {
          id: 'rule_2',
          priority: 2,
          conditions: [],
          percentage_rollout: [{ variation: 'off', percentage: 100 }],
        },
      ],
    }),
  ]);
const start = async (timeoutMs?: number) => {
  const flags = createNodeClient({
    apiKey: 'sdk-dev-loopback',
    baseUrl: server.baseUrl,
    pollIntervalMs: 60,
    retryBaseMs: 20,
    logger: false,
  });
  await OpenFeature.setProviderAndWait(createOpenFeatureProvider(flags, { timeoutMs }));
  return flags;
};

beforeEach(async () => {
  server = await startLoopbackServer();
  server.on('/sdk/ruleset', json({ data: rulesetOf('hello') }, '"v1"'));
  server.on('/sdk/events', (_, response) => response.writeHead(202).end('{"data":{}}'));
});
afterEach(async () => {
  await OpenFeature.clearProviders();
  OpenFeature.clearHandlers();
  await server.close();
});

test("resolves flags for each context, with OpenFeature's reasons", async () => {
  await start();
  const client = OpenFeature.getClient();
  const context = { targetingKey: 'u1', plan: 'pro' };
  expect(await client.getBooleanDetails('beta', false, context)).toMatchObject({
    value: true,
    variant: 'on',
    reason: 'TARGETING_MATCH',
    flagMetadata: { rule_id: 'rule_1' },
  });
  expect(await client.getBooleanDetails('beta', false, { targetingKey: 'u1' })).toMatchObject({
    value: false,
    reason: 'SPLIT',
  });
  const undated = { ...context, since: new Date('yesterday') };
  expect(await client.getBooleanDetails('beta', false, undated)).toMatchObject({
    value: true,
    variant: 'on',
  });
  expect(await client.getStringDetails('greeting', '')).toMatchObject({
    value: 'hello',
    reason: 'STATIC',
    flagMetadata: { version: 1, environment_id: expect.any(String), flag_type: 'string' },
  });
  expect(await client.getObjectValue('list', [])).toEqual([1, 2]);
  expect(await client.getNumberDetails('greeting', 7)).toMatchObject({
    value: 7,
    errorCode: 'TYPE_MISMATCH',
  });
  expect(await client.getStringDetails('missing', 'd')).toMatchObject({
    value: 'd',
    errorCode: 'FLAG_NOT_FOUND',
  });
});

test('emits the keys of changed flags', async () => {
  await start();
  const changed: unknown[] = [];
  OpenFeature.addHandler(
    ProviderEvents.ConfigurationChanged,
    (about) => void changed.push(about?.flagsChanged),
  );
  server.on('/sdk/ruleset', json({ data: rulesetOf('bye') }, '"v2"'));
  await until(() => changed.length > 0);
  expect(changed).toEqual([['greeting']]);
  expect(await OpenFeature.getClient().getStringValue('greeting', '')).toBe('bye');
});

test('an unreachable server is an error; the provider becomes ready by itself once the server is reachable', async () => {
  server.on('/sdk/ruleset', (_, response) => response.writeHead(500).end());
  await expect(start(100)).rejects.toThrow('the client is initializing');
  const client = OpenFeature.getClient();
  expect(client.providerStatus).toBe(ProviderStatus.ERROR);
  server.on('/sdk/ruleset', json({ data: rulesetOf('hello') }, '"v1"'));
  await until(() => client.providerStatus === ProviderStatus.READY);
  expect(await client.getStringValue('greeting', '')).toBe('hello');
});

test('a refused key is fatal while there are no answers; the provider is ready once the key is accepted', async () => {
  const refuse = () => server.on('/sdk/ruleset', (_, response) => response.writeHead(401).end());
  refuse();
  await expect(start()).rejects.toMatchObject({
    code: 'PROVIDER_FATAL',
    message: 'flagsvc: the client is unauthorized',
  });
  const client = OpenFeature.getClient();
  expect(client.providerStatus).toBe(ProviderStatus.FATAL);
  expect(await client.getStringDetails('greeting', 'default')).toMatchObject({
    value: 'default',
    reason: 'ERROR',
    errorCode: 'PROVIDER_FATAL',
  });
  server.on('/sdk/ruleset', json({ data: rulesetOf('hello') }, '"v1"'));
  await until(() => client.providerStatus === ProviderStatus.READY);
  expect(await client.getStringValue('greeting', '')).toBe('hello');
  // If the key is refused again, the client keeps the last good answers.
  refuse();
  await until(() => client.providerStatus === ProviderStatus.ERROR);
  expect(await client.getStringValue('greeting', '')).toBe('hello');
  expect(await client.getStringDetails('missing', 'd')).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
});

test('a key that is refused after an outage at the start is fatal', async () => {
  server.on('/sdk/ruleset', (_, response) => response.writeHead(500).end());
  await expect(start(50)).rejects.toThrow('the client is initializing');
  const client = OpenFeature.getClient();
  expect(client.providerStatus).toBe(ProviderStatus.ERROR);
  server.on('/sdk/ruleset', (_, response) => response.writeHead(403).end());
  await until(() => client.providerStatus === ProviderStatus.FATAL);
});

test('forwards track calls, and closes the client when the provider is replaced', async () => {
  const flags = await start();
  OpenFeature.getClient().track('bought', { targetingKey: 'u1' }, { value: 3 });
  expect(flags.stats().recorded).toBe(1);
  await OpenFeature.clearProviders();
  await until(() => flags.status() === 'closed');
  await until(() => flags.stats().delivered === 1);
});
