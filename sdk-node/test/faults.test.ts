import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient } from '@flagsvc/sdk-node';
import { describe, expect, test } from 'vitest';
import { FAULTS } from './faults.ts';
import { type Answer, json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';

const user = { user_key: 'u1' };
const RULESET = '/sdk/ruleset';
const good = (version: number) =>
  json({ data: createTestRuleset({ greeting: `v${version}` }, version) }, `"v${version}"`);

/** A server, a fault to put it under and to relieve it of, and a client whose times are 300 times shorter. */
const start = async (fault: Answer | 'refuse') => {
  let server: LoopbackServer = await startLoopbackServer();
  const { baseUrl } = server;
  const take = (answer: Answer) => {
    server.on('/sdk/events', (_, response) => response.writeHead(202).end());
    server.on(RULESET, answer);
  };
  return {
    take,
    arrivals: () => server.arrivals(RULESET).length,
    async break() {
      if (fault === 'refuse') await server.close();
      else take(fault);
    },
    async repair(version: number) {
      if (fault === 'refuse') server = await startLoopbackServer(Number(new URL(baseUrl).port));
      take(good(version));
    },
    client: () =>
      createNodeClient({
        apiKey: 'sdk-dev-faults',
        baseUrl,
        pollIntervalMs: 100,
        requestTimeoutMs: 150,
        retryBaseMs: 5,
        flushIntervalMs: 50,
        maxBodyBytes: 1_000_000,
        logger: false,
      }),
    stop: () => server.close(),
  };
};

describe.concurrent.each(Object.entries(FAULTS))('%s', (_, fault) => {
  test('before the start: ready settles at its limit, defaults are served, the client recovers', async () => {
    const world = await start(fault);
    await world.break();
    await using client = world.client();
    // A timer of the same length is the yardstick: on a busy machine both are late together.
    const yardstick = new Promise<number>((resolve) => setTimeout(() => resolve(performance.now()), 200));
    const status = await client.ready({ timeoutMs: 200 });
    expect(performance.now() - (await yardstick)).toBeLessThan(150);
    expect(['initializing', 'unauthorized']).toContain(status);
    expect(client.flag('greeting', user, 'default')).toBe('default');
    await world.repair(1);
    await until(() => client.flag('greeting', user, 'default') === 'v1');
    expect(client.status()).toBe('ready');
    await world.stop();
  });

  test('while starting: the fetch under way fails, the next one is taken', async () => {
    const world = await start(fault);
    if (fault === 'refuse') {
      world.take((_, __, socket) => void setTimeout(() => socket.destroy(), 30));
    } else {
      world.take((...about) => void setTimeout(() => fault(...about), 30));
    }
    await using client = world.client();
    await until(() => world.arrivals() === 1);
    if (fault === 'refuse') {
      await world.break();
      await world.repair(1);
    } else world.take(good(1));
    expect(client.flag('greeting', user, 'default')).toBe('default');
    await until(() => client.flag('greeting', user, 'default') === 'v1');
    await world.stop();
  });

  test('in steady state: the last good ruleset is served, marked stale, until there is a better one', async () => {
    const world = await start(fault);
    world.take(good(1));
    await using client = world.client();
    expect(await client.ready({ timeoutMs: 3000 })).toBe('ready');
    await world.break();
    await until(() => client.status() !== 'ready');
    for (let i = 0; i < 10; i++) {
      expect(client.flag('greeting', user, 'default')).toBe('v1');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(['stale', 'unauthorized']).toContain(client.status());
    await world.repair(2);
    await until(() => client.flag('greeting', user, 'default') === 'v2');
    expect(client.status()).toBe('ready');
    await client.flush();
    const { recorded, delivered, pending, dropped } = client.stats();
    expect(delivered + pending + dropped).toBe(recorded);
    await world.stop();
  });
});
