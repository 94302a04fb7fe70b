import type { ServerResponse } from 'node:http';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient, type NodeClient, type NodeClientOptions } from '@flagsvc/sdk-node';
import { streaming } from '@flagsvc/sdk-node/streaming';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNodeClient as createEdgeClient } from '../src/edge.ts';
import { json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';

const user = { user_key: 'u1' };
let server: LoopbackServer;
let streams: ServerResponse[];
let client: NodeClient;

beforeEach(async () => {
  server = await startLoopbackServer();
  streams = [];
  serve(1);
  server.on('/sdk/stream', (_, response) => {
    streams.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    tell(response);
  });
});
afterEach(async () => {
  await client.close({ timeoutMs: 0 });
  await server.close();
});

let version = 1;
function serve(next: number): void {
  version = next;
  server.on(
    '/sdk/ruleset',
    json({ data: createTestRuleset({ greeting: `v${next}` }, next) }, `W/"${next}-x"`),
  );
}
const tell = (response: ServerResponse) =>
  response.write(
    `id: ${version}\nevent: ruleset.updated\ndata: ${JSON.stringify({ version, etag: `W/"${version}-x"`, refetch_within_ms: 0 })}\n\n`,
  );
const base = () => ({ apiKey: 'sdk-dev-1', baseUrl: server.baseUrl, logger: false, events: false }) as const;
const open = (options: Partial<NodeClientOptions> = {}) =>
  createNodeClient({ ...base(), streaming: true, ...options });
const polls = () => server.arrivals('/sdk/ruleset').length;
const greeting = () => client.flag('greeting', user, '');

test.each([
  ['in Node', () => open()],
  ['in Node, with streaming as the option', () => open({ streaming })],
  ['at the edge, with streaming as the option', () => createEdgeClient({ ...base(), streaming })],
])('serves an announced change at once, without polling: %s', async (_, openClient) => {
  client = openClient();
  await client.ready();
  await until(() => streams.length === 1);
  await until(() => greeting() === 'v1');
  for (let next = 2; next <= 6; next++) {
    serve(next);
    tell(streams[0]!);
    await until(() => greeting() === `v${next}`, 1_000);
  }
  expect(server.arrivals('/sdk/stream')[0]!.headers).toMatchObject({
    'x-api-key': 'sdk-dev-1',
    accept: 'text/event-stream',
  });
  expect(polls()).toBeLessThanOrEqual(7);
});

test.each([undefined, false])('opens no stream without the option: %s', async (none) => {
  client = open({ streaming: none, pollIntervalMs: 50 });
  await until(() => polls() > 2);
  expect(streams).toHaveLength(0);
});

test('refuses an invalid streaming option, naming the remedy', async () => {
  client = open();
  const option = 'flagsvc: option streaming must be';
  expect(() => open({ streaming: 'yes' as never })).toThrow(
    `${option} true, or the export streaming of @flagsvc/sdk-node/streaming`,
  );
  for (const wrong of ['yes', true])
    expect(() => createEdgeClient({ ...base(), streaming: wrong as never })).toThrow(`${option} a function`);
});

test('polls while streams break, and streams again later', async () => {
  client = open({ pollIntervalMs: 100, retryBaseMs: 20 });
  await until(() => streams.length === 1);
  streams[0]!.destroy();
  server.on('/sdk/stream', (_, __, socket) => void socket.destroy());
  serve(2);
  await until(() => greeting() === 'v2');
  server.on('/sdk/stream', (_, response) => {
    streams.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    tell(response);
  });
  await until(() => streams.length === 2);
  serve(3);
  tell(streams[1]!);
  await until(() => greeting() === 'v3');
});

test('survives a stream without line ends, of another type, or with invalid compression', async () => {
  let asked = 0;
  server.on('/sdk/stream', (_, response) => {
    asked += 1;
    if (asked === 1) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let count = 0; count < 40; count++) response.write(`data: ${'x'.repeat(64 * 1024)}`);
    } else if (asked === 2) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>');
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.write('no gzip');
    }
  });
  client = open({ pollIntervalMs: 100, retryBaseMs: 2 });
  await until(() => asked >= 3);
  serve(2);
  await until(() => greeting() === 'v2');
  expect(client.status()).toBe('ready');
});

test('close ends the stream', async () => {
  client = open();
  await until(() => streams.length === 1);
  let isClosed = false;
  streams[0]!.on('close', () => {
    isClosed = true;
  });
  await client.close();
  await until(() => isClosed);
});
