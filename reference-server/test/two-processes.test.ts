import { renameSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildServer } from '../src/app/build-server.ts';
import { LEASE_MS } from '../src/control-plane/background/lease.ts';
import { createRateLimiter } from '../src/http/rate-limit.ts';
import { createOutbound } from '../src/outbound/outbound.ts';
import { openDatabase } from '../src/storage/open-database.ts';
import { isOnPostgres, newDatabase, type SharedDatabase } from './database.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { booleanFlag, PASSWORD, SECRETS } from './server.ts';

let database: SharedDatabase;
let receiver: Receiver;
let time: number;
type Node = Awaited<ReturnType<typeof startNode>>;
let nodes: Node[];
let token: string;

beforeEach(async () => {
  database = await newDatabase();
  receiver = await startReceiver();
  time = Date.parse('2026-11-20T10:00:00.000Z');
  nodes = [];
  for (let count = 0; count < 2; count++) nodes.push(await startNode());
  const person = { email: 'admin@example.com', password: PASSWORD };
  await send(0, 'POST', '/auth/register', person);
  token = (await send(0, 'POST', '/auth/login', person)).access_token;
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await receiver.close();
  await database.remove();
});

/** A server as a process of its own would have it: with a connection of its own to the one database. */
async function startNode() {
  const db = await openDatabase(database.url);
  const app = await buildServer({
    db,
    ...SECRETS,
    limiter: createRateLimiter(),
    version: '0.0.0-test',
    now: () => time,
    random: () => 0.5,
    outbound: createOutbound({ allowHttp: true, ranges: ['127.0.0.1'], ports: [receiver.port] }),
  });
  await app.ready();
  let isOpen = true;
  return {
    app,
    db,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await app.close();
      await db.destroy();
    },
  };
}

async function send(node: number, method: 'GET' | 'POST', url: string, body?: object) {
  const answer = await nodes[node]!.app.inject({
    method,
    url: `/api/v1${url}`,
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
    ...(body && { payload: JSON.stringify(body) }),
  });
  const { data, error } = answer.payload === '' ? { data: undefined, error: undefined } : answer.json();
  expect([url, error]).toEqual([url, undefined]);
  return data;
}

/** In turns: two connections of one thread that wait for each other's transaction would wait for ever. */
async function runAll(): Promise<void> {
  for (const { app } of nodes) await app.runBackground();
  nodes.reverse();
}

async function planSale() {
  await send(0, 'POST', '/webhooks', { url: receiver.url, events: ['flag.updated', 'flag.created'] });
  await runAll();
  const [{ id: projectId }] = await send(0, 'GET', '/projects');
  const [{ id: environmentId }] = await send(0, 'GET', `/projects/${projectId}/environments`);
  const flag = await send(1, 'POST', `/flags?environment_id=${environmentId}`, booleanFlag('sale'));
  const execute_at = new Date(time + 60_000).toISOString();
  const changes = [{ op: 'add_tag', tag: 'sale' }];
  const body = { environment_id: environmentId, execute_at, changes };
  await send(1, 'POST', `/flags/${flag.id}/scheduled-changes`, body);
}

async function executions(): Promise<number> {
  const entries = await nodes
    .at(-1)!
    .db.selectFrom('audit_entries')
    .select('id')
    .where('action', '=', 'scheduled_change.executed')
    .execute();
  return entries.length;
}

test('sends each message and executes each change once, whoever was asked for it', async () => {
  await planSale();
  for (let round = 0; round < 10; round++) {
    time += 10_000;
    await runAll();
  }
  expect(await executions()).toBe(1);
  const holders = await nodes[0]!.db
    .selectFrom('leases')
    .select('holder')
    .where('holder', '!=', '')
    .execute();
  expect(holders).toHaveLength(1);
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['flag.created', 'flag.updated']);
});

test('leaves the work to the other process at once when one stops, and after the lease when it dies', async () => {
  await planSale();
  time += 61_000;
  await nodes[1]!.app.runBackground();
  expect(await executions()).toBe(1);

  // It has the lease and is heard of no more.
  await planAgain();
  time += LEASE_MS - 1;
  await nodes[0]!.app.runBackground();
  expect(await executions()).toBe(1);
  time += 1;
  await nodes[0]!.app.runBackground();
  expect(await executions()).toBe(2);

  await planAgain();
  await nodes[0]!.close();
  await nodes[1]!.app.runBackground();
  expect(await executions()).toBe(3);
});

test.skipIf(isOnPostgres)('evaluates for the first time while the file of SQLite is away', async () => {
  const [{ id: projectId }] = await send(0, 'GET', '/projects');
  const [{ id: environmentId }] = await send(0, 'GET', `/projects/${projectId}/environments`);
  await send(0, 'POST', `/flags?environment_id=${environmentId}`, booleanFlag('sale'));
  const { key } = await send(0, 'POST', `/environments/${environmentId}/api-keys`, { name: 'k' });
  const file = database.url.slice('sqlite:'.length);
  renameSync(file, `${file}.away`);
  const answer = await nodes[1]!.app.inject({
    method: 'POST',
    url: '/api/v1/evaluate',
    headers: { 'x-api-key': key },
    payload: { flags: ['sale'], context: { user_key: 'u' } },
  });
  expect(answer.json().data.evaluations).toMatchObject({ sale: { reason: 'DISABLED' } });
});

/** A change that is due at once. */
async function planAgain(): Promise<void> {
  const { db } = nodes[1]!;
  const { updated_at } = await db
    .selectFrom('scheduled_changes')
    .select('updated_at')
    .executeTakeFirstOrThrow();
  const execute_at = updated_at;
  await db
    .updateTable('scheduled_changes')
    .set({ status: 'pending', execute_at, executed_at: null, base_revision: null })
    .execute();
}
