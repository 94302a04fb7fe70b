import { setTimeout } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { measureSlowdown } from '../../conformance/src/suite/slowdown.ts';
import { buildServer } from '../src/app/build-server.ts';
import { openLimits } from '../src/process/open-limits.ts';
import { openDatabase } from '../src/storage/open-database.ts';
import { createApi } from './api.ts';
import { isOnPostgres, newDatabase } from './database.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { booleanFlag, enter, SECRETS } from './server.ts';
import { createAppTransport } from './transports.ts';

const found = await startRedis();
const redis = 'missing' in found ? undefined : (found as TestRedis);
const missing = 'missing' in found ? `: ${found.missing}` : '';

afterAll(async () => {
  vi.useRealTimers();
  await redis?.remove();
});

/** A server with its own connections to the database and to Redis, like a process of its own. */
async function startNode(databaseUrl: string) {
  const db = await openDatabase(databaseUrl);
  const limits = await openLimits(
    { apiSecretKey: SECRETS.apiSecretKey, rateLimits: {}, redisUrl: redis!.url },
    db,
    pino({ level: 'silent' }),
  );
  // Without its interval, the change watcher learns of commits by notices only.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const app = await buildServer({
    db,
    ...SECRETS,
    ...limits,
    version: '0.0.0-test',
    backgroundIntervalMs: 3_600_000,
  });
  vi.useRealTimers();
  await app.ready();
  onTestFinished(async () => {
    await app.close();
    await limits.close();
    await db.destroy();
  });
  return createAppTransport(app);
}

test.skipIf(redis === undefined || isOnPostgres)(
  `Redis tells another node of a toggle within 100 ms, without the database's help${missing}`,
  async () => {
    const database = await newDatabase();
    onTestFinished(database.remove);
    const call = await startNode(database.url);
    const { api } = await enter({ call }, 'admin@example.com');
    const [project] = await api.projects.list();
    const environmentId = project!.default_environment_id!;
    const admin = api.in(environmentId);
    const { id } = await admin.flags.create(booleanFlag('sale'));
    const { key: apiKey } = await admin.apiKeys.create(environmentId, { name: 'k' });
    const other = createApi({ transport: await startNode(database.url), apiKey });

    /** Milliseconds from the answer to the toggle until the other node serves it; undefined after a second. */
    const toggle = async (enabled: boolean): Promise<number | undefined> => {
      await admin.flags.toggle(id, enabled);
      const startedAt = performance.now();
      while (performance.now() - startedAt < 1_000) {
        const { evaluations } = await other.dataPlane.evaluate({
          flags: ['sale'],
          context: { user_key: 'u' },
        });
        if ((evaluations['sale']!.reason === 'DISABLED') === !enabled) return performance.now() - startedAt;
        await setTimeout(2);
      }
      return;
    };
    // The second node subscribes in the background.
    await expect.poll(async () => (await toggle(true)) ?? (await toggle(false))).toBeDefined();
    const times: number[] = [];
    for (let round = 0; round < 20; round++) times.push((await toggle(round % 2 === 1)) ?? 1_000);
    times.sort((one, another) => one - another);
    expect(times[10]).toBeLessThan(100 * measureSlowdown());
    expect(times.at(-1)).toBeLessThan(1_000);
  },
);
