import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis, type TestRedis } from './redis.ts';
import {
  burst,
  expectBurstLimit,
  expectExactLogins,
  expectSharedBackoff,
  expectSteadyLimit,
  type NodeProcesses,
  RULESET_LIMIT,
  startProcesses,
} from './shared-limits.ts';

const folder = mkdtempSync(join(tmpdir(), 'flagsvc-redis-limits-'));
const found = await startRedis();
const redis = 'missing' in found ? undefined : (found as TestRedis);
const missing = 'missing' in found ? `: ${found.missing}` : '';
let nodes: NodeProcesses;

beforeAll(async () => {
  if (redis === undefined) return;
  nodes = await startProcesses({
    FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flagsvc.db')}`,
    FLAGSVC_REDIS_URL: redis.url,
  });
});
afterAll(async () => {
  await nodes?.close();
  await redis?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const withRedis = test.skipIf(redis === undefined);

withRedis(`three processes at 20 requests a second let at most 110 of a limit of 100 pass${missing}`, () =>
  expectSteadyLimit(nodes),
);

withRedis('after a burst at all processes, nothing more passes in the same window', () =>
  expectBurstLimit(nodes),
);

withRedis('logins of one address are counted exactly', () => expectExactLogins(nodes, '198.51.100.1'));

withRedis('failed logins at one account count together', () => expectSharedBackoff(nodes, '203.0.113'));

/** What each process says about its limits. */
async function sharing(): Promise<readonly string[]> {
  const texts = await nodes.metrics();
  return texts.map((text) => /^flagsvc_limits_shared (\d)$/m.exec(text)?.[1] ?? 'absent');
}
const warnings = () => nodes.log().match(/rate limits hold for each node alone/g)?.length ?? 0;

withRedis('each process counts alone while Redis is away, and reports it once', async () => {
  const key = await nodes.createKey();
  expect(await sharing()).toEqual(['1', '1', '1']);
  expect(warnings()).toBe(0);
  await redis!.stop();
  expect(await burst(nodes, key, [RULESET_LIMIT, RULESET_LIMIT, RULESET_LIMIT])).toBe(3 * RULESET_LIMIT);
  expect(await burst(nodes, key, [5, 5, 5])).toBe(0);
  await expect.poll(sharing).toEqual(['0', '0', '0']);
  await expectSlowLogin('198.51.100.7');
  expect(warnings()).toBe(3);
  await redis!.start();
  await expect.poll(sharing).toEqual(['1', '1', '1']);
  await expectExactLogins(nodes, '198.51.100.2');
});

withRedis('a Redis that does not answer delays no poll, and a login by about a second', async () => {
  const key = await nodes.createKey();
  redis!.suspend();
  const before = performance.now();
  expect(await burst(nodes, key, [20, 20, 20])).toBe(60);
  // Generous for a busy machine: a poll that waited for Redis would wait for two seconds.
  expect(performance.now() - before).toBeLessThan(1_500);
  const loginAt = performance.now();
  await expectSlowLogin('198.51.100.8');
  expect(performance.now() - loginAt).toBeLessThan(1_500);
  await expect.poll(sharing).toEqual(['0', '0', '0']);
  redis!.resume();
  await expect.poll(sharing).toEqual(['1', '1', '1']);
});

/** A login is answered although its exact count cannot be had. */
async function expectSlowLogin(address: string): Promise<void> {
  const response = await fetch(`${nodes.urls[0]}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email: 'someone@example.com', password: 'a wrong guess' }),
  });
  expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([401, '5']);
}
