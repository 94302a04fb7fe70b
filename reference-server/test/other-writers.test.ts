import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureSlowdown } from '../../conformance/src/suite/slowdown.ts';
import { newDatabase, type SharedDatabase } from './database.ts';
import { booleanFlag, PASSWORD } from './server.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { openStream } from './stream.ts';

/** Two processes on one database: one is written to, the other is only asked. */
let database: SharedDatabase;
let processes: readonly ServerProcess[];
let writer: string;
let reader: string;
let token: string;
let environment: string;

beforeAll(async () => {
  database = await newDatabase();
  const env = { FLAGSVC_DATABASE_URL: database.url };
  const first = startServer(env);
  writer = await first.url;
  const second = startServer(env);
  reader = await second.url;
  processes = [first, second];
  const person = { email: 'admin@example.com', password: PASSWORD };
  await write('POST', '/auth/register', person);
  token = (await write('POST', '/auth/login', person)).access_token;
  const [{ default_environment_id }] = await write('GET', '/projects');
  environment = default_environment_id;
});
afterAll(async () => {
  for (const { child, exit } of processes) {
    child.kill('SIGTERM');
    await exit;
  }
  await database.remove();
});

async function write(method: string, url: string, body?: object) {
  const answer = await fetch(`${writer}/api/v1${url}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect([url, answer.ok, text]).toEqual([url, true, text]);
  return text === '' ? undefined : JSON.parse(text).data;
}

async function createFlag(): Promise<(enabled: boolean) => Promise<unknown>> {
  const key = `flag-${Math.random().toString(36).slice(2)}`;
  const { id } = await write('POST', `/flags?environment_id=${environment}`, booleanFlag(key));
  return (enabled) => write('POST', `/flags/${id}/toggle?environment_id=${environment}`, { enabled });
}

const createKey = () => write('POST', `/environments/${environment}/api-keys`, { name: 'k' });
const fetchRuleset = (key: string, headers = {}) =>
  fetch(`${reader}/api/v1/sdk/ruleset`, { headers: { 'x-api-key': key, ...headers } });

/** How long it takes until it is so, milliseconds. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!(await isSo())) {
    expect(performance.now() - started).toBeLessThan(10_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - started;
}

/** The shortest of three times: others on the machine may make any of them longer. */
async function shortest(measure: (round: number) => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) times.push(await measure(round));
  return Math.min(...times);
}

test('a stream hears within a second of what another process has written, without being asked', async () => {
  const { key } = await createKey();
  const toggle = await createFlag();
  await until(async () => (await fetchRuleset(key)).status === 200);
  const stream = await openStream(`${reader}/api/v1/sdk/stream`, { 'x-api-key': key });
  expect((await stream.next()).event).toBe('ruleset.updated');
  const time = await shortest(async (round) => {
    const { data } = (await (await fetchRuleset(key)).json()) as { data: { version: number } };
    const started = performance.now();
    await toggle(round % 2 === 0);
    // The creation of the flag may have come late.
    for (;;) {
      const { event, data: told } = await stream.next();
      if (event === 'ruleset.updated' && told.version > data.version) return performance.now() - started;
    }
  });
  expect(time).toBeLessThan(1_000 * measureSlowdown());
  stream.close();
});

test('a poller gets it, and 304 while nothing is written', async () => {
  const { key } = await createKey();
  const toggle = await createFlag();
  await until(async () => (await fetchRuleset(key)).status === 200);
  const time = await shortest(async (round) => {
    const before = await fetchRuleset(key);
    const tag = { 'if-none-match': before.headers.get('etag')! };
    await toggle(round % 2 === 0);
    return until(async () => (await fetchRuleset(key, tag)).status === 200);
  });
  expect(time).toBeLessThan(1_000 * measureSlowdown());
});

test('a key is known when another process has made it, and ends when it has revoked it', async () => {
  const made = await shortest(async () => {
    const fresh = await createKey();
    // It is asked for before it is known, and must not be taken for unknown for ever.
    await fetchRuleset(fresh.key);
    return until(async () => (await fetchRuleset(fresh.key)).status === 200);
  });
  expect(made).toBeLessThan(1_000 * measureSlowdown());
  const { id, key } = await createKey();
  await until(async () => (await fetchRuleset(key)).status === 200);
  const stream = await openStream(`${reader}/api/v1/sdk/stream`, { 'x-api-key': key });
  await write('DELETE', `/api-keys/${id}`);
  await until(async () => (await fetchRuleset(key)).status === 401);
  let event = await stream.next();
  while (event.event !== 'goodbye') event = await stream.next();
  expect(event.data.reason).toBe('key_revoked');
});

test('a project is archived and another restored between two looks: each key is taken for what it is', async () => {
  const [{ id: first }] = await write('GET', '/projects');
  const second = await write('POST', '/projects', { key: 'second', name: 'Second' });
  const keyOf = async (id: string): Promise<string> =>
    (await write('POST', `/environments/${id}/api-keys`, { name: 'k' })).key;
  const keys = [await keyOf(environment), await keyOf(second.default_environment_id)] as const;
  const statuses = () => Promise.all(keys.map(async (key) => (await fetchRuleset(key)).status));
  const archive = (id: string, key: string) => write('DELETE', `/projects/${id}?confirm_key=${key}`);
  const restore = (id: string) => write('POST', `/projects/${id}/restore`);
  const [{ key: firstKey }] = await write('GET', '/projects');
  // What is asked for now is remembered, and is only forgotten by a look.
  await until(async () => String(await statuses()) === '200,200');
  await archive(second.id, 'second');
  await until(async () => String(await statuses()) === '200,401');

  const { child } = processes[1]!;
  child.kill('SIGSTOP');
  await restore(second.id);
  await archive(first, firstKey);
  child.kill('SIGCONT');
  await until(async () => String(await statuses()) === '401,200');
  await restore(first);
  await until(async () => String(await statuses()) === '200,200');
});
