import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureSlowdown } from '../../conformance/src/suite/slowdown.ts';
import { type Api, createApi } from './api.ts';
import { newDatabase, type SharedDatabase } from './database.ts';
import { booleanFlag, enter } from './server.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { openStream } from './stream.ts';
import { createHttpTransport } from './transports.ts';

/** Two processes on one database: the tests write through the first and read from the second. */
let database: SharedDatabase;
let processes: readonly ServerProcess[];
/** The admin's client of the first process, for the default environment. */
let api: Api;
let reader: string;
let environment: string;

beforeAll(async () => {
  database = await newDatabase();
  const env = { FLAGSVC_DATABASE_URL: database.url };
  const first = startServer(env);
  const writer = await first.url;
  const second = startServer(env);
  reader = await second.url;
  processes = [first, second];
  const transport = createHttpTransport(writer);
  const { accessToken, api: admin } = await enter({ call: transport }, 'admin@example.com');
  const [project] = await admin.projects.list();
  environment = project!.default_environment_id!;
  api = createApi({ transport, token: accessToken, environmentId: environment });
});
afterAll(async () => {
  for (const { child, exit } of processes) {
    child.kill('SIGTERM');
    await exit;
  }
  await database.remove();
});

/** Creates a flag. Returns a function that turns it on or off. */
async function createFlag(): Promise<(enabled: boolean) => Promise<unknown>> {
  const { id } = await api.flags.create(booleanFlag(`flag-${Math.random().toString(36).slice(2)}`));
  return (enabled) => api.flags.toggle(id, enabled);
}

async function createKey(environmentId = environment) {
  const { id, key } = await api.apiKeys.create(environmentId, { name: 'k' });
  return { id, key: key! };
}

const fetchRuleset = (apiKey: string, ifNoneMatch?: string) =>
  createApi({ transport: createHttpTransport(reader), apiKey }).dataPlane.ruleset({ ifNoneMatch }).answer;
const statusOf = async (key: string) => (await fetchRuleset(key)).status;

/** Waits until the condition holds; returns how many milliseconds that took. */
async function until(condition: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!(await condition())) {
    expect(performance.now() - started).toBeLessThan(10_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - started;
}

/** The shortest of three measurements, because other load on the machine can lengthen any of them. */
async function shortest(measure: (round: number) => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) times.push(await measure(round));
  return Math.min(...times);
}

test('within a second, a stream announces what another process wrote', async () => {
  const { key } = await createKey();
  const toggle = await createFlag();
  await until(async () => (await statusOf(key)) === 200);
  const stream = await openStream(`${reader}/api/v1/sdk/stream`, { 'x-api-key': key });
  expect((await stream.next()).event).toBe('ruleset.updated');
  const time = await shortest(async (round) => {
    const { version } = (await fetchRuleset(key)).body.data;
    const started = performance.now();
    await toggle(round % 2 === 0);
    // The event for the creation of the flag may arrive only now.
    for (;;) {
      const { event, data } = await stream.next();
      if (event === 'ruleset.updated' && data.version > version) return performance.now() - started;
    }
  });
  expect(time).toBeLessThan(1_000 * measureSlowdown());
  stream.close();
});

test('within a second after another process writes, a poll gets the new ruleset instead of 304', async () => {
  const { key } = await createKey();
  const toggle = await createFlag();
  await until(async () => (await statusOf(key)) === 200);
  const time = await shortest(async (round) => {
    const etag = String((await fetchRuleset(key)).headers['etag']);
    await toggle(round % 2 === 0);
    return until(async () => (await fetchRuleset(key, etag)).status === 200);
  });
  expect(time).toBeLessThan(1_000 * measureSlowdown());
});

test('a key works after another process creates it, and a stream with the key ends after that process revokes it', async () => {
  const time = await shortest(async () => {
    const { key } = await createKey();
    // A request that arrives before this process knows the key must not make the key unknown for good.
    await statusOf(key);
    return until(async () => (await statusOf(key)) === 200);
  });
  expect(time).toBeLessThan(1_000 * measureSlowdown());
  const { id, key } = await createKey();
  await until(async () => (await statusOf(key)) === 200);
  const stream = await openStream(`${reader}/api/v1/sdk/stream`, { 'x-api-key': key });
  await api.apiKeys.revoke(id);
  await until(async () => (await statusOf(key)) === 401);
  let event = await stream.next();
  while (event.event !== 'goodbye') event = await stream.next();
  expect(event.data.reason).toBe('key_revoked');
});

test('when one project is archived and another restored between two checks, only the keys of the restored one work', async () => {
  const [first] = await api.projects.list();
  const second = await api.projects.create({ key: 'second', name: 'Second' });
  const keys = [(await createKey()).key, (await createKey(second.default_environment_id!)).key];
  const areStatuses = async (expected: string) => String(await Promise.all(keys.map(statusOf))) === expected;
  const archive = ({ id, key }: { id: string; key: string }) =>
    api.projects.archive(id, { confirm_key: key });
  // These requests put the keys into memory, from which only a check for changes removes them.
  await until(() => areStatuses('200,200'));
  await archive(second);
  await until(() => areStatuses('200,401'));

  const { child } = processes[1]!;
  child.kill('SIGSTOP');
  try {
    await api.projects.restore(second.id);
    await archive(first!);
  } finally {
    child.kill('SIGCONT');
  }
  await until(() => areStatuses('401,200'));
  await api.projects.restore(first!.id);
  await until(() => areStatuses('200,200'));
});
