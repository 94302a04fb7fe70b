/** In a process whose built-ins the host has patched, a client sends, stores and serves the same as without patches. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { startLoopbackServer } from './loopback-server.ts';

const PATCHES: Readonly<Record<string, string>> = {
  'Array.prototype.toJSON of an old Prototype.js': `
    Array.prototype.toJSON = function () { return '[' + this.map((item) => JSON.stringify(item)).join(', ') + ']'; };`,
  'Object.prototype.toJSON': `
    Object.defineProperty(Object.prototype, 'toJSON', { value() { return 'an object'; }, writable: true });`,
  'a count on Object.prototype': `
    Object.defineProperty(Object.prototype, 'count', { value: 7, writable: true });`,
};

const rulesetOf = (version: number) => ({
  ...createTestRuleset({ greeting: 'hello' }, version),
  flags: [
    createTestFlag('greeting', 'hello', { track_exposures: true }),
    createTestFlag('list', [version, { of: [version] }]),
  ],
});

/** Runs the child. Returns the requests that the server received, the files on disk, and the child's output. */
const run = async (patch: string) => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'flagsvc-patched-'));
  const server = await startLoopbackServer();
  try {
    let polls = 0;
    server.on('/sdk/ruleset', (_, response) => {
      polls++;
      const version = polls === 1 ? 1 : 2;
      response
        .writeHead(200, { 'content-type': 'application/json', etag: `"${version}"` })
        .end(JSON.stringify({ data: rulesetOf(version) }));
    });
    server.on('/sdk/events', (_, response) => response.writeHead(202).end('{}'));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      '--conditions=@flagsvc/source',
      join(import.meta.dirname, 'patched-child.ts'),
      server.baseUrl,
      cacheDir,
      patch,
    ]);
    const [file] = readdirSync(cacheDir);
    return {
      printed: stdout,
      warned: stderr,
      kept: JSON.parse(readFileSync(join(cacheDir, file!), 'utf8')),
      events: server
        .arrivals('/sdk/events')
        .flatMap(({ body }) => JSON.parse(body).events)
        .map(({ id: _id, timestamp: _at, start: _start, end: _end, ...event }) => event),
    };
  } finally {
    await server.close();
    rmSync(cacheDir, { recursive: true });
  }
};

test.each(Object.entries(PATCHES))(
  'sends, stores and serves the same as without patches, with %s',
  async (_, patch) => {
    const [plain, patched] = [await run(''), await run(patch)];
    expect(plain).toMatchObject({ printed: '2 1 2 list', warned: '', kept: { tag: '"2"' } });
    expect(plain.events.map(({ type }) => type).sort()).toEqual(['exposure', 'summary', 'summary', 'track']);
    expect(patched).toEqual(plain);
  },
);
