import { closeSync, openSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, type Installation, install } from '../crash/client.ts';
import { newDatabase, type SharedDatabase } from '../database.ts';
import { type ServerProcess, startServer } from '../server-process.ts';

let database: SharedDatabase;
let path: string;
let server: ServerProcess;
let url: string;
let installation: Installation;

beforeEach(async () => {
  database = await newDatabase();
  path = database.url.slice('sqlite:'.length);
  await start();
  installation = await install(url, 1);
  await stop();
});
afterEach(async () => {
  await stop();
  await database.remove();
});

async function start(): Promise<void> {
  server = startServer({ FLAGSVC_DATABASE_URL: database.url });
  url = await server.url;
}
/** In order, so that all is in the one file. */
async function stop(): Promise<void> {
  server.child.kill('SIGTERM');
  await server.exit;
}

/** Overwrites the first page of what the name stands for, as a disk does that has lost a sector. */
function damage(name: string): void {
  const db = new Sqlite(path);
  const { rootpage } = db.prepare('select rootpage from sqlite_schema where name = ?').get(name) as {
    rootpage: number;
  };
  const size = db.pragma('page_size', { simple: true }) as number;
  db.close();
  overwrite(Buffer.alloc(size, 0xa5), (rootpage - 1) * size);
}

function overwrite(bytes: Buffer, at: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

const token = () => ({ authorization: `Bearer ${installation.accessToken}` });
const flags = () => call(url, 'GET', `/flags?environment_id=${installation.environmentId}`, token());
const auditLog = () => call(url, 'GET', '/audit-log', token());
const evaluate = () =>
  call(
    url,
    'POST',
    '/evaluate',
    { 'x-api-key': installation.apiKey },
    { flags: ['*'], context: { user_key: 'u' } },
  );
async function toggle(): Promise<unknown> {
  const { flagIds, environmentId } = installation;
  const response = await fetch(`${url}/api/v1/flags/${flagIds[0]}/toggle?environment_id=${environmentId}`, {
    method: 'POST',
    headers: { ...token(), 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true }),
  });
  return outcomeOf(response.status, await response.json());
}
async function health(half = ''): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/health${half}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Status, code and reason. */
function outcomeOf(status: number, body: unknown): unknown {
  const { error } = body as { error?: { code: string; details: { reason?: string } } };
  return [status, error?.code, error?.details.reason];
}

const CORRUPT = [503, 'SERVICE_UNAVAILABLE', 'database_corrupt'];

test('with a damaged table, says so by a code, in /health and in the log, and does what it still can', async () => {
  damage('audit_entries');
  await start();
  expect((await evaluate()).status).toBe(200);
  // Nobody has come across it.
  expect((await health()).status).toBe(200);
  expect(await toggle()).toEqual(CORRUPT);
  const refused = await fetch(`${url}/api/v1/audit-log`, { headers: token() });
  const body = (await refused.json()) as { error: { message: string } };
  expect(outcomeOf(refused.status, body)).toEqual(CORRUPT);
  expect(body.error.message).toContain('restore a backup');
  expect(refused.headers.get('retry-after')).toBe('60');

  expect((await flags()).status).toBe(200);
  expect((await evaluate()).status).toBe(200);
  expect(await health()).toEqual({
    status: 503,
    body: {
      status: 'failing',
      version: expect.any(String),
      mode: 'oss',
      reason: 'database_corrupt',
      checks: { database: 'failing', ruleset_compiler: 'ok' },
    },
  });
  // What asks the database otherwise is answered: no balancer need take the process away, nor anybody restart it.
  expect((await health('/ready')).status).toBe(200);
  expect((await health('/live')).status).toBe(200);
  const logged = server.output.out.split('\n').filter((line) => line.includes('restore a backup'));
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('malformed');
});

test('with a damaged index, refuses what needs it', async () => {
  damage('audit_entries_by_resource');
  await start();
  expect(await toggle()).toEqual(CORRUPT);
  expect((await auditLog()).status).toBe(200);
  expect((await health()).body['reason']).toBe('database_corrupt');
});

test('finds damage by itself where its background comes by', async () => {
  damage('leases');
  await start();
  await expect.poll(async () => (await health()).body['reason']).toBe('database_corrupt');
  expect((await evaluate()).status).toBe(200);
  expect(await toggle()).toEqual([200, undefined, undefined]);
});

test.each([
  ['not a database', Buffer.from('<html>this is no database'.padEnd(4_096)), /is not a database/],
  ['a database whose schema is damaged', Buffer.alloc(3_000, 0xa5), /malformed|not a database/],
])('does not start on a file that is %s, and says what to do', async (_, bytes, reason) => {
  overwrite(bytes, bytes.length === 4_096 ? 0 : 100);
  server = startServer({ FLAGSVC_DATABASE_URL: database.url });
  await expect(server.url).rejects.toThrow(/Restore a backup/);
  expect(server.output.err).toMatch(reason);
  expect(server.output.err.trim().split('\n')).toHaveLength(1);
  expect(await server.exit).toBe(1);
});
