import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, startLoopbackServer } from './loopback-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flagsvc-cache-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A thread that writes one file over and over, and reports errors. */
const WRITER = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.module).then(async ({ writeFileAtomically }) => {
    const errors = [];
    for (let i = 0; i < 30; i++)
      await writeFileAtomically(workerData.path, 'whole').catch(({ code }) => errors.push(code));
    parentPort.postMessage(errors);
  });
`;

test('threads can write the same file at the same time', async () => {
  const module = join(import.meta.dirname, '../src/atomic-file.ts');
  const path = join(folder, 'ruleset.json');
  const options = { eval: true, workerData: { module, path } };
  const workers = Array.from({ length: 3 }, () => new Worker(WRITER, options));
  const errors = await Promise.all(
    workers.map((worker) => new Promise((resolve) => worker.on('message', resolve))),
  );
  expect(errors).toEqual([[], [], []]);
  expect(await readdir(folder)).toEqual(['ruleset.json']);
  expect(await readFile(path, 'utf8')).toBe('whole');
});

test('removes the drafts of killed writers after an hour', async () => {
  const server = await startLoopbackServer();
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'hello' }) }, '"v1"'));
  const open = () =>
    createNodeClient({ apiKey: 'k', baseUrl: server.baseUrl, cacheDir: folder, logger: false });
  const first = open();
  await expect.poll(() => readdir(folder)).toEqual([expect.stringMatching(/json$/)]);
  await first.close({ timeoutMs: 0 });
  const name = (await readdir(folder))[0]!;
  const [old, young, foreign] = [`${name}.1.tmp`, `${name}.2.tmp`, 'of-the-host.tmp'];
  for (const file of [old, young, foreign]) await writeFile(join(folder, file), 'half');
  const hourAgo = Date.now() / 1000 - 3660;
  for (const file of [name, old, foreign]) await utimes(join(folder, file), hourAgo, hourAgo);
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'bye' }, 2) }, '"v2"'));
  const second = open();
  await expect.poll(() => readdir(folder)).not.toContain(old);
  expect(new Set(await readdir(folder))).toEqual(new Set([name, young, foreign]));
  await second.close({ timeoutMs: 0 });
  await server.close();
});

test('a flipped bit in the saved tag costs only one fetch', async () => {
  const server = await startLoopbackServer();
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'hello' }) }, '"v1"'));
  const { baseUrl } = server;
  const open = () => createNodeClient({ apiKey: 'k', baseUrl, cacheDir: folder, logger: false });
  const first = open();
  await expect.poll(() => readdir(folder)).toEqual([expect.stringMatching(/json$/)]);
  await first.close({ timeoutMs: 0 });
  const path = join(folder, (await readdir(folder))[0]!);
  const bytes = await readFile(path);
  bytes[bytes.indexOf('v1')]! ^= 0x80;
  await writeFile(path, bytes);
  const second = open();
  expect(second.status()).toBe('cached');
  await expect.poll(second.status).toBe('ready');
  await second.close({ timeoutMs: 0 });
  await server.close();
});
