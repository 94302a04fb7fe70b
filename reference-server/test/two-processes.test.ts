import { renameSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildServer } from '../src/app/build-server.ts';
import { LEASE_MS } from '../src/control-plane/background/lease.ts';
import { createRateLimiter } from '../src/http/rate-limit.ts';
import { createOutbound } from '../src/outbound/outbound.ts';
import { openDatabase } from '../src/storage/open-database.ts';
import { type Api, createApi } from './api.ts';
import { isOnPostgres, newDatabase, type SharedDatabase } from './database.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { booleanFlag, enter, SECRETS } from './server.ts';
import { createAppTransport } from './transports.ts';

let database: SharedDatabase;
let receiver: Receiver;
let time: number;
type Node = Awaited<ReturnType<typeof startNode>>;
let nodes: Node[];
let environmentId: string;
/** The admin's clients, one for each node. */
let admins: readonly Api[];

beforeEach(async () => {
  database = await newDatabase();
  receiver = await startReceiver();
  time = Date.parse('2026-11-20T10:00:00.000Z');
  nodes = [await startNode(), await startNode()];
  const { accessToken: token, api } = await enter({ call: nodes[0]!.transport }, 'admin@example.com');
  const [project] = await api.projects.list();
  environmentId = project!.default_environment_id!;
  admins = nodes.map(({ transport }) => createApi({ transport, token, environmentId }));
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await receiver.close();
  await database.remove();
});

/** A server with its own connection to the shared database, like a process of its own. */
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
    transport: createAppTransport(app),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await app.close();
      await db.destroy();
    },
  };
}

/** One node after the other: on SQLite, two writers in one thread would block each other forever. */
async function runAll(): Promise<void> {
  for (const { app } of nodes) await app.runBackground();
  nodes.reverse();
}

async function scheduleSale() {
  const [first, second] = admins as [Api, Api];
  await first.webhooks.create({ url: receiver.url, events: ['flag.updated', 'flag.created'] });
  await runAll();
  const { id } = await second.flags.create(booleanFlag('sale'));
  await second.scheduledChanges.create(id, {
    environment_id: environmentId,
    execute_at: new Date(time + 60_000).toISOString(),
    changes: [{ op: 'add_tag', tag: 'sale' }],
  });
}

async function countExecutions(): Promise<number> {
  const entries = await nodes
    .at(-1)!
    .db.selectFrom('audit_entries')
    .select('id')
    .where('action', '=', 'scheduled_change.executed')
    .execute();
  return entries.length;
}

test('two processes together send each message and execute each scheduled change once', async () => {
  await scheduleSale();
  for (let round = 0; round < 10; round++) {
    time += 10_000;
    await runAll();
  }
  expect(await countExecutions()).toBe(1);
  const holders = await nodes[0]!.db
    .selectFrom('leases')
    .select('holder')
    .where('holder', '!=', '')
    .execute();
  expect(holders).toHaveLength(1);
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['flag.created', 'flag.updated']);
});

test('a process takes over background work at once when the other stops, and after the lease when the other dies', async () => {
  await scheduleSale();
  time += 61_000;
  await nodes[1]!.app.runBackground();
  expect(await countExecutions()).toBe(1);

  // The second node holds the lease but, as if it had died, does not run again.
  await makeDueAgain();
  time += LEASE_MS - 1;
  await nodes[0]!.app.runBackground();
  expect(await countExecutions()).toBe(1);
  time += 1;
  await nodes[0]!.app.runBackground();
  expect(await countExecutions()).toBe(2);

  await makeDueAgain();
  await nodes[0]!.close();
  await nodes[1]!.app.runBackground();
  expect(await countExecutions()).toBe(3);
});

test.skipIf(isOnPostgres)(
  'evaluates while the database file is missing (SQLite only: PostgreSQL has no such file)',
  async () => {
    const [admin] = admins as [Api, Api];
    await admin.flags.create(booleanFlag('sale'));
    const { key: apiKey } = await admin.apiKeys.create(environmentId, { name: 'k' });
    const file = database.url.slice('sqlite:'.length);
    renameSync(file, `${file}.away`);
    const { dataPlane } = createApi({ transport: nodes[1]!.transport, apiKey });
    const { evaluations } = await dataPlane.evaluate({ flags: ['sale'], context: { user_key: 'u' } });
    expect(evaluations).toMatchObject({ sale: { reason: 'DISABLED' } });
  },
);

/** Makes the executed change pending again, and due at once. */
async function makeDueAgain(): Promise<void> {
  const { db } = nodes[1]!;
  const { updated_at: execute_at } = await db
    .selectFrom('scheduled_changes')
    .select('updated_at')
    .executeTakeFirstOrThrow();
  await db
    .updateTable('scheduled_changes')
    .set({ status: 'pending', execute_at, executed_at: null, base_revision: null })
    .execute();
}
