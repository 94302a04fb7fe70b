import { closeSync, openSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Reply, refused } from '../api-call.ts';
import { newDatabase, type SharedDatabase } from '../database.ts';
import { connect, type Installation, install } from '../installation.ts';
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
/** Ends the process gracefully, so that the database is a single file. */
async function stop(): Promise<void> {
  server.child.kill('SIGTERM');
  await server.exit;
}

/** Overwrites the first page of this table or index, like a disk that lost a sector. */
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

const clients = () => connect(url, installation);
const listFlags = () => clients().admin.flags.list();
const readAuditLog = () => clients().admin.audit.list();
const evaluate = () => clients().sdk.evaluate({ flags: ['*'], context: { user_key: 'u' } });
const toggle = () => clients().admin.flags.toggle(installation.flagIds[0]!, true);
async function health(half = ''): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/health${half}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Status, code and reason. */
async function outcomeOf(reply: Reply<unknown>): Promise<unknown> {
  const { status, body } = await reply.answer;
  const { error } = body as { error?: { code: string; details: { reason?: string } } };
  return [status, error?.code, error?.details.reason];
}

const CORRUPT = [503, 'SERVICE_UNAVAILABLE', 'database_corrupt'];

test('reports a damaged table in error codes, /health and the log, and still serves everything else', async () => {
  damage('audit_entries');
  await start();
  await evaluate();
  // The server has not noticed the damage yet.
  expect((await health()).status).toBe(200);
  expect(await outcomeOf(toggle())).toEqual(CORRUPT);
  expect(await outcomeOf(readAuditLog())).toEqual(CORRUPT);
  const { message, headers } = await refused(readAuditLog());
  expect(message).toContain('restore a backup');
  expect(headers['retry-after']).toBe('60');

  await listFlags();
  await evaluate();
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
  // A load balancer must keep the process, and an orchestrator must not restart it.
  expect((await health('/ready')).status).toBe(200);
  expect((await health('/live')).status).toBe(200);
  const logged = server.output.out.split('\n').filter((line) => line.includes('restore a backup'));
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('malformed');
});

test('refuses only requests that need a damaged index', async () => {
  damage('audit_entries_by_resource');
  await start();
  expect(await outcomeOf(toggle())).toEqual(CORRUPT);
  await readAuditLog();
  expect((await health()).body['reason']).toBe('database_corrupt');
});

test('reports damage that a background job finds', async () => {
  damage('leases');
  await start();
  await expect.poll(async () => (await health()).body['reason']).toBe('database_corrupt');
  await evaluate();
  await toggle();
});

test.each([
  [
    'a file that is not a database',
    Buffer.from('<html>this is no database'.padEnd(4_096)),
    /is not a database/,
  ],
  ['a database whose schema is damaged', Buffer.alloc(3_000, 0xa5), /malformed|not a database/],
])('refuses to start on %s, and names the remedy', async (_, bytes, reason) => {
  overwrite(bytes, bytes.length === 4_096 ? 0 : 100);
  server = startServer({ FLAGSVC_DATABASE_URL: database.url });
  await expect(server.url).rejects.toThrow(/Restore a backup/);
  expect(server.output.err).toMatch(reason);
  expect(server.output.err.trim().split('\n')).toHaveLength(1);
  expect(await server.exit).toBe(1);
});
