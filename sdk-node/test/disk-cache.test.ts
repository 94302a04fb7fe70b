import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';

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
