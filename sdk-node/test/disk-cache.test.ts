import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** Writes one file again and again; tells what went wrong. */
const WRITER = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.module).then(async ({ writeFileAtomically }) => {
    const errors = [];
    for (let i = 0; i < 30; i++)
      await writeFileAtomically(workerData.path, 'whole').catch(({ code }) => errors.push(code));
    parentPort.postMessage(errors);
  });
`;

test('threads may write the same file at once: none takes away what another one writes', async () => {
  const module = join(import.meta.dirname, '../src/disk-cache.ts');
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

test('a bit that flipped in the tag costs one fetch, not all of them', async () => {
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
