import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { measureSlowdown } from '../../conformance/src/suite/slowdown.ts';
import { json, type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

let server: LoopbackServer;
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-exit-'));
afterAll(() => rmSync(scratch, { recursive: true }));
beforeEach(async () => {
  server = await startLoopbackServer();
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'hello' }) }, '"v1"'));
  server.on('/sdk/events', (_, response) => response.writeHead(202).end('{}'));
});
afterEach(() => server.close());

/** Runs the child to its end. Returns its output, how it ended, and how long it lived after its last line. */
const run = async (what: string, signalAfter?: string) => {
  const path = join(import.meta.dirname, 'exit-child.ts');
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--conditions=@flagsvc/source', path, server.baseUrl, what],
    {
      env: { ...process.env, TMPDIR: scratch },
    },
  );
  let out = '';
  let err = '';
  let lastLineAt = 0;
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdout.on('data', (chunk) => {
    out += chunk;
    lastLineAt = performance.now();
    if (signalAfter && out.includes(signalAfter)) child.kill('SIGTERM');
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (code, signal) => resolve([code, signal])),
  );
  // The tests' limits are those of a quiet machine.
  const afterMs = (performance.now() - lastLineAt) / measureSlowdown();
  return { out: out.trim(), err, code, signal, afterMs };
};
const delivered = () => server.arrivals('/sdk/events').filter(({ body }) => body.includes('greeting')).length;

test('a process exits by itself, without close and without losing events', async () => {
  const { out, code, err, afterMs } = await run('plain');
  expect([out, code, err]).toEqual(['last line', 0, '']);
  expect(delivered()).toBe(1);
  expect(afterMs).toBeLessThan(1000);
});

test('a process does not lose evaluations from before the first fetch', async () => {
  const { code } = await run('at-once');
  expect(code).toBe(0);
  expect(delivered()).toBe(1);
});

test('a server that hangs does not delay the exit', async () => {
  let polls = 0;
  server.on('/sdk/ruleset', (arrival, response, socket) => {
    if (polls++ === 0) json({ data: createTestRuleset({ greeting: 'hello' }) })(arrival, response, socket);
  });
  const { code, afterMs } = await run('later');
  expect(code).toBe(0);
  expect(polls).toBe(2);
  expect(delivered()).toBe(1);
  expect(afterMs).toBeLessThan(1500);
});

test('an open stream does not delay the exit', async () => {
  let streams = 0;
  server.on('/sdk/stream', (_, response) => {
    streams += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 3000\n\n');
  });
  const { code, afterMs } = await run('streaming');
  expect([code, streams]).toEqual([0, 1]);
  expect(delivered()).toBe(1);
  expect(afterMs).toBeLessThan(1000);
});

test('sharing a poller delays neither the exit of the leader nor that of followers', async () => {
  const runs = await Promise.all([run('shared'), run('shared')]);
  expect(runs.map(({ code, err }) => [code, err])).toEqual(Array(2).fill([0, '']));
  expect(delivered()).toBe(2);
  // The limit is long, because two processes run at once; a socket that kept a process alive would do so forever.
  for (const { afterMs } of runs) expect(afterMs).toBeLessThan(3000);
});

test('events that cannot be sent delay the exit by at most 2 s', async () => {
  server.on('/sdk/events', () => {});
  const hanging = await run('plain');
  expect(hanging.code).toBe(0);
  expect(hanging.afterMs).toBeLessThan(3500);
  server.on('/sdk/events', (_, response) => response.writeHead(500).end());
  const failing = await run('plain');
  expect(failing.code).toBe(0);
  expect(failing.afterMs).toBeLessThan(1500);
});

test('an awaited ready keeps the process alive until its limit', async () => {
  server.on('/sdk/ruleset', (_, __, socket) => void socket.destroy());
  const { out, code } = await run('top-level-await');
  expect([out, code]).toEqual(['initializing', 0]);
});

test('an awaited flush keeps the process alive until it is done', async () => {
  // Longer than an exit waits for events.
  server.on('/sdk/events', (_, response) => void setTimeout(() => response.writeHead(202).end('{}'), 2500));
  const { out, code } = await run('flush');
  expect([out, code]).toEqual(['1', 0]);
});

test('a request of the host keeps the process alive, even with the key of a client', async () => {
  server.on('/evaluate', (_, response) => void setTimeout(() => response.writeHead(200).end(), 300));
  const { out, code } = await run('own-request');
  expect([out, code]).toEqual(['200', 0]);
});

test('with flushOnSigterm, SIGTERM sends events and then ends the process', async () => {
  const { signal, code } = await run('sigterm', 'up');
  expect([signal, code]).toEqual(['SIGTERM', null]);
  expect(delivered()).toBe(1);
});

test.each(['many', 'many streaming'])(
  'a thousand clients that were opened and closed leave nothing behind: %s',
  async (what) => {
    const { out, err, code } = await run(what);
    expect(err).toBe('');
    const { exitMs, ...left } = JSON.parse(out);
    expect(left).toEqual({ handles: [], listeners: 0, alive: 0 });
    expect(code).toBe(0);
    // A timer left behind would keep the process alive for at least a second.
    expect(exitMs / measureSlowdown()).toBeLessThan(500);
  },
);
