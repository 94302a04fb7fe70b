import { Worker } from 'node:worker_threads';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient } from '@flagsvc/sdk-node';
import { expect, test } from 'vitest';
import { hostClock } from '../src/platform/host-clock.ts';

/** A server that reports when a request arrives, and answers it shortly after. */
const SERVER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    parentPort.postMessage(request.url);
    setTimeout(() => response.end(JSON.stringify(workerData)), 50);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
/** Blocks the event loop, as a debugger or a long computation does. */
const standStill = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('an answer that arrived while the process was blocked is not late', async () => {
  const workerData = { data: createTestRuleset({ greeting: 'hello' }) };
  const server = new Worker(SERVER, { eval: true, workerData });
  const port = await new Promise((resolve) => server.once('message', resolve));
  const faults: unknown[] = [];
  const client = createNodeClient({
    apiKey: 'k',
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    requestTimeoutMs: 2000,
    logger: (fault) => void faults.push(fault),
  });
  await new Promise((resolve) => server.once('message', resolve));
  // Much longer than the time limit of the request.
  standStill(3000);
  expect(await client.ready({ timeoutMs: 10_000 })).toBe('ready');
  expect(faults).toEqual([]);
  await client.close();
  await server.terminate();
});

test('a timer that is cleared when it is due does not fire', async () => {
  let fired = 0;
  const timer = hostClock.setTimer(() => fired++, 5);
  setTimeout(() => hostClock.clearTimer(timer), 5);
  standStill(10);
  await new Promise((resolve) => setTimeout(resolve, 20));
  hostClock.clearTimer(undefined);
  expect(fired).toBe(0);
});
