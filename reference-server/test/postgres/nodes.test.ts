import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureSlowdown } from '../../../conformance/src/suite/slowdown.ts';
import { ask, newDatabase, type SharedDatabase } from '../database.ts';
import { booleanFlag, PASSWORD } from '../server.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { openStream } from '../stream.ts';

/** Processes on one PostgreSQL that were started at the same moment, with nothing in it. */
let database: SharedDatabase;
let nodes: readonly ServerProcess[];
let urls: readonly string[];
let token: string;
let environment: string;

beforeAll(async () => {
  database = await newDatabase();
  nodes = [1, 2, 3].map(() => startServer({ FLAGSVC_DATABASE_URL: database.url }));
  urls = await Promise.all(nodes.map(({ url }) => url));
  const person = { email: 'admin@example.com', password: PASSWORD };
  await send(0, 'POST', '/auth/register', person);
  token = (await send(0, 'POST', '/auth/login', person)).access_token;
  const projects = await send(0, 'GET', '/projects');
  expect(projects).toHaveLength(1);
  environment = projects[0].default_environment_id;
});
afterAll(async () => {
  for (const { child, exit, output } of nodes) {
    child.kill('SIGTERM');
    expect([await exit, output.err]).toEqual([0, '']);
  }
  await database.remove();
});

async function send(node: number, method: string, url: string, body?: object) {
  const answer = await fetch(`${urls[node]}/api/v1${url}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect([url, answer.ok, text]).toEqual([url, true, text]);
  return text === '' ? undefined : JSON.parse(text).data;
}

const createFlag = (node: number, key: string) =>
  send(node, 'POST', `/flags?environment_id=${environment}`, booleanFlag(key));
const toggle = (node: number, id: string, enabled: boolean) =>
  send(node, 'POST', `/flags/${id}/toggle?environment_id=${environment}`, { enabled });
const createKey = async (): Promise<{ id: string; key: string }> =>
  send(0, 'POST', `/environments/${environment}/api-keys`, { name: 'k' });

test('news reach a stream of another node within 250 ms', async () => {
  const { key } = await createKey();
  const { id } = await createFlag(0, 'told');
  const stream = await openStream(`${urls[1]}/api/v1/sdk/stream`, { 'x-api-key': key });
  const times: number[] = [];
  let last = 0;
  const until = async (isSo: (version: number) => boolean): Promise<void> => {
    for (;;) {
      const { event, data } = await stream.next();
      if (event !== 'ruleset.updated') continue;
      expect(data.version).toBeGreaterThan(last);
      last = data.version;
      if (isSo(last)) return;
    }
  };
  await until(() => true);
  for (let round = 0; round < 100; round++) {
    const before = last;
    const started = performance.now();
    await Promise.all([toggle(0, id, round % 2 === 0), until((version) => version > before)]);
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  console.log(`news: median ${times[50]!.toFixed(0)} ms, 99th ${times[98]!.toFixed(0)} ms`);
  expect(times[50]).toBeLessThan(250 * measureSlowdown());
  stream.close();
});

test('nodes that write at once lose nothing, and no node shows a version that goes back', async () => {
  const { key } = await createKey();
  const flags = await Promise.all([0, 1, 2].map((node) => createFlag(node, `of-node-${node}`)));
  const versionsOf = async (node: number, until: (version: number) => boolean): Promise<number[]> => {
    const stream = await openStream(`${urls[node]}/api/v1/sdk/stream`, { 'x-api-key': key });
    const versions: number[] = [];
    while (!versions.some(until)) {
      const { event, data } = await stream.next();
      if (event === 'ruleset.updated') versions.push(data.version);
    }
    stream.close();
    return versions;
  };
  const [start] = await versionsOf(0, () => true);
  const target = start! + 60;
  const watching = [0, 1, 2].map((node) => versionsOf(node, (version) => version >= target));
  await Promise.all(
    flags.map(async ({ id }, node) => {
      for (let round = 0; round < 20; round++) await toggle(node, id, round % 2 === 0);
    }),
  );
  for (const versions of await Promise.all(watching)) {
    expect(versions).toEqual([...versions].sort((one, other) => one - other));
    expect(versions.at(-1)).toBe(target);
  }
});

test('a key that one node has revoked opens nothing on another', async () => {
  const { id, key } = await createKey();
  const statusOf = async (node: number): Promise<number> =>
    (await fetch(`${urls[node]}/api/v1/sdk/ruleset`, { headers: { 'x-api-key': key } })).status;
  await expect.poll(() => Promise.all([1, 2].map(statusOf))).toEqual([200, 200]);
  await send(0, 'DELETE', `/api-keys/${id}`);
  const started = performance.now();
  await expect.poll(() => Promise.all([1, 2].map(statusOf)), { interval: 10 }).toEqual([401, 401]);
  expect(performance.now() - started).toBeLessThan(1_000 * measureSlowdown());
});

test('news that are not told are found within two seconds', async () => {
  const { key } = await createKey();
  const { id } = await createFlag(0, 'untold');
  for (const table of ['rulesets', 'api_keys', 'projects']) {
    await ask(database.url, `drop trigger tell_of_${table} on ${table}`);
  }
  const versionOf = async (node: number): Promise<number> => {
    const answer = await fetch(`${urls[node]}/api/v1/sdk/ruleset`, { headers: { 'x-api-key': key } });
    return ((await answer.json()) as { data: { version: number } }).data.version;
  };
  for (const enabled of [true, false, true]) {
    await toggle(0, id, enabled);
    const started = performance.now();
    const written = await versionOf(0);
    await expect.poll(() => versionOf(1), { interval: 50 }).toBe(written);
    expect(performance.now() - started).toBeLessThan(2_000 * measureSlowdown());
  }
});
