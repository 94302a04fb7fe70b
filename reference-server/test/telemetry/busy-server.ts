import type { AddressInfo } from 'node:net';
import { expect, vi } from 'vitest';
import { createMemoryLoginFailures } from '../../src/control-plane/features/auth/login-failures.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createPrometheusMetrics } from '../../src/telemetry/metrics/prometheus-registry.ts';
import { createApi } from '../api.ts';
import { newDatabase } from '../database.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { booleanFlag, startServer, type TestServer } from '../server.ts';
import { openStream } from '../stream.ts';
import { createHttpTransport } from '../transports.ts';

/** A server with metrics that has done everything that metrics show. */
export interface BusyServer {
  readonly server: TestServer;
  readonly url: string;
  readonly apiKey: string;
  readonly receiver: Receiver;
  scrape(): Promise<string>;
  close(): Promise<void>;
}

/** Starts the server and makes it do everything once or twice. */
export async function startBusyServer(): Promise<BusyServer> {
  const receiver = await startReceiver();
  // In a file, because a database in memory has no write-ahead log.
  const database = await newDatabase();
  const server = await startServer({
    db: await openDatabase(database.url),
    createMetrics: createPrometheusMetrics,
    sharedLimits: { failures: createMemoryLoginFailures(Date.now), isShared: () => true },
    outbound: createOutbound({ allowHttp: true, ranges: ['127.0.0.1'], ports: [receiver.port] }),
    sendMail: async ({ to }) => {
      if (to.startsWith('lost')) throw new Error('no such mailbox');
    },
  });
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
  // By HTTP, because answers of `app.inject` are not counted.
  const api = createApi({
    transport: createHttpTransport(url),
    token: server.tokens.admin,
    environmentId: server.environments.production,
  });
  const { key: apiKey } = await api.apiKeys.create(server.environments.production, { name: 'busy' });
  const headers = { 'x-api-key': apiKey! };

  await api.webhooks.create({ url: receiver.url, events: ['flag.*'] });
  await server.app.runBackground();
  const flag = await api.flags.create(booleanFlag('busy'));
  await poll(url, headers);
  const stream = await openStream(`${url}/api/v1/sdk/stream`, headers);
  await stream.next();
  await api.flags.toggle(flag.id, true);
  await stream.next();
  stream.close();
  await evaluate(url, headers, 'busy');
  await evaluate(url, headers, '*');
  const batch = batchOf('b1');
  for (const body of [batch, batch]) await post(`${url}/api/v1/sdk/events`, headers, body);
  for (const email of ['found@example.com', 'lost@example.com'])
    await api.invitations.create(server.organizationId, { email, role: 'viewer' });
  await server.app.runBackground();
  await fetch(`${url}/nowhere`);
  // An answer is counted a moment after the client has it.
  await vi.waitFor(async () => expect(await server.app.metrics!.render()).toContain('operation="unknown"'));
  return {
    server,
    url,
    apiKey: apiKey!,
    receiver,
    scrape: () => server.app.metrics!.render(),
    async close() {
      await server.close();
      await receiver.close();
      await database.remove();
    },
  };
}

/** Fetches the ruleset, then polls it unchanged three times. */
async function poll(url: string, headers: Record<string, string>): Promise<void> {
  const path = `${url}/api/v1/sdk/ruleset`;
  const etag = (await fetch(path, { headers })).headers.get('etag')!;
  for (let count = 0; count < 3; count++)
    await fetch(path, { headers: { ...headers, 'if-none-match': etag } });
}

function evaluate(url: string, headers: Record<string, string>, key: string): Promise<Response> {
  return post(`${url}/api/v1/evaluate`, headers, { flags: [key], context: { user_key: 'u1' } });
}

export function post(url: string, headers: Record<string, string>, body: object): Promise<Response> {
  const type = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers: { ...headers, ...type }, body: JSON.stringify(body) });
}

/** A batch with five evaluations, and one event that the server rejects. */
function batchOf(batch_id: string) {
  const time = '2026-11-20T10:00:00.000Z';
  const counter = {
    flag_key: 'busy',
    variation_key: 'on',
    reason: 'DEFAULT',
    rule_id: null,
    ruleset_version: 1,
    count: 5,
  };
  return {
    batch_id,
    sent_at: time,
    sdk: { name: 'test', version: '1.0.0' },
    events: [
      { type: 'summary', start: time, end: time, counters: [counter] },
      { type: 'track', id: 'e1', timestamp: time, user_key: 'u1', event_name: '' },
      { type: 'diagnostic', dropped_events: 7, cause: 'spool_full' },
      { type: 'diagnostic', dropped_events: 2, cause: 'a text of a client' },
    ],
  };
}
