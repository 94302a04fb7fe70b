import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, PASSWORD } from './server.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { openStream } from './stream.ts';

/** Two processes on one database: one is written to, the other is only asked. */
let folder: string;
let processes: readonly ServerProcess[];
let writer: string;
let reader: string;
let token: string;
let environment: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-others-'));
  const env = { FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}` };
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
  rmSync(folder, { recursive: true });
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

/** How long it takes until it is so, milliseconds; with many others on the machine it takes longer. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!(await isSo())) {
    expect(performance.now() - started).toBeLessThan(5_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - started;
}

test('a stream hears within a second of what another process has written, without being asked', async () => {
  const { key } = await createKey();
  const toggle = await createFlag();
  const stream = await openStream(`${reader}/api/v1/sdk/stream`, { 'x-api-key': key });
  const first = await stream.next();
  expect(first.event).toBe('ruleset.updated');
  for (const enabled of [true, false]) {
    const { data } = (await (await fetchRuleset(key)).json()) as { data: { version: number } };
    const started = performance.now();
    await toggle(enabled);
    let event = await stream.next();
    // The creation of the flag may have come late.
    while (event.data.version <= data.version) event = await stream.next();
    expect(event.event).toBe('ruleset.updated');
    expect(performance.now() - started).toBeLessThan(1_000);
  }
  stream.close();
});

test('a poller gets it, and 304 while nothing is written', async () => {
  const { key } = await createKey();
  const toggle = await createFlag();
  const before = await fetchRuleset(key);
  expect(before.status).toBe(200);
  const tag = { 'if-none-match': before.headers.get('etag')! };
  await toggle(true);
  expect(await until(async () => (await fetchRuleset(key, tag)).status === 200)).toBeLessThan(1_000);
});

test('a key is known when another process has made it, and ends when it has revoked it', async () => {
  const { id, key } = await createKey();
  expect(await until(async () => (await fetchRuleset(key)).status === 200)).toBeLessThan(1_000);
  const stream = await openStream(`${reader}/api/v1/sdk/stream`, { 'x-api-key': key });
  await write('DELETE', `/api-keys/${id}`);
  expect(await until(async () => (await fetchRuleset(key)).status === 401)).toBeLessThan(1_000);
  let event = await stream.next();
  while (event.event !== 'goodbye') event = await stream.next();
  expect(event.data.reason).toBe('key_revoked');
});
