/** The timers and signals that end a request must survive garbage collection (decisions/0010). */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient, type Fault, type NodeClientOptions } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const CLIENTS = 20;
/** A `fetch` that creates its own request, as instrumentation does, which easily loses the signal. */
const remade: typeof fetch = (input, init) => fetch(new Request(input, init));
const FETCHES = [
  ['the fetch of Node', undefined],
  ['a fetch that makes a request of its own', remade],
] as const;

let server: LoopbackServer;
beforeEach(async () => {
  server = await startLoopbackServer();
});
afterEach(() => server.close());

const open = (options: Partial<NodeClientOptions>) =>
  Array.from({ length: CLIENTS }, () =>
    createNodeClient({ apiKey: 'sdk-dev-garbage', baseUrl: server.baseUrl, logger: false, ...options }),
  );
const collectFor = async (ms: number) => {
  for (let spent = 0; spent < ms; spent += 20) {
    await sleep(20);
    collect();
  }
};

test.each(FETCHES)('a silent body does not block a client: %s', async (_name, fetch) => {
  server.on('/sdk/ruleset', (_arrival, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
  });
  const faults: Fault[] = [];
  const clients = open({ fetch, requestTimeoutMs: 150, logger: (fault) => void faults.push(fault) });
  await collectFor(300);
  await until(() => faults.length === CLIENTS);
  expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(['TIMEOUT']));
  await Promise.all(clients.map((client) => client.close()));
});

test.each(FETCHES)('closing a client ends its stream: %s', async (_name, fetch) => {
  let streams = 0;
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'hello' }) }, '"v1"'));
  server.on('/sdk/stream', (_arrival, response) => {
    streams += 1;
    response.on('close', () => {
      streams -= 1;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 3000\n\n');
  });
  const clients = open({ fetch, streaming: true });
  await until(() => streams === CLIENTS);
  await collectFor(200);
  await Promise.all(clients.map((client) => client.close()));
  await until(() => streams === 0);
});
