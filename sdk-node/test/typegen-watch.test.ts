/** Declarations that follow the flags: the option --watch, and the plugin in a real Vite server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@flagsvc/sdk-core';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { flagTypes } from '@flagsvc/sdk-node/vite';
import { createLogger, createServer, type Plugin } from 'vite';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { runTypegen } from '../src/typegen/typegen.ts';
import { json, startLoopbackServer, until } from './loopback-server.ts';

let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-watch-'));
  out = join(folder, 'src', 'flags.d.ts');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const declared = () => (existsSync(out) ? readFileSync(out, 'utf8') : '');
const save = (flags: Record<string, Json>, file = 'ruleset.json') => {
  const path = join(folder, file);
  writeFileSync(path, JSON.stringify(createTestRuleset(flags)));
  return path;
};

/** Runs the command until `stop` is called. */
const watch = (args: string[], env: Record<string, string> = {}) => {
  const controller = new AbortController();
  const said: string[] = [];
  const print = (text: string) => void said.push(text);
  const code = runTypegen([...args, '--out', out, '--watch'], {
    env,
    print,
    printError: print,
    signal: controller.signal,
  });
  onTestFinished(() => controller.abort());
  const stop = () => {
    controller.abort();
    return code;
  };
  return { said, stop, code };
};

/** A server of flags whose changes are announced on a stream. */
const startFlags = async () => {
  const server = await startLoopbackServer();
  onTestFinished(() => server.close());
  const streams: ServerResponse[] = [];
  let version = 0;
  const tell = (response: ServerResponse) =>
    response.write(
      `id: ${version}\nevent: ruleset.updated\ndata: ${JSON.stringify({ version, etag: `"${version}"`, refetch_within_ms: 0 })}\n\n`,
    );
  server.on('/sdk/stream', (_, response) => {
    streams.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    tell(response);
  });
  const publish = (flags: Record<string, Json>) => {
    version++;
    server.on('/sdk/ruleset', json({ data: createTestRuleset(flags, version) }, `"${version}"`));
    for (const stream of streams) tell(stream);
  };
  return { server, publish };
};

test('--watch follows a file, and keeps the declaration while the file is broken', async () => {
  const source = save({ colour: 'red' });
  const { said, stop } = watch([source]);
  await until(() => declared().includes("colour: 'red'"));
  writeFileSync(source, '{');
  await until(() => said.some((line) => line.includes('is not JSON')));
  expect(declared()).toContain("colour: 'red'");
  save({ colour: 'red', limit: 5 });
  await until(() => declared().includes('limit: number'));
  expect(await stop()).toBe(0);
  save({ late: true });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(declared()).not.toContain('late');
});

test('--watch follows an environment by its stream, and writes only what differs', async () => {
  const { publish, server } = await startFlags();
  publish({ colour: 'red' });
  const { said, stop } = watch([server.baseUrl], { FLAGSVC_API_KEY: 'sdk-dev-1' });
  await until(() => declared().includes("colour: 'red'"));
  publish({ colour: 'green' });
  await until(() => declared().includes("colour: 'green'"));
  const written = () => said.filter((line) => line.startsWith('wrote ')).length;
  await until(() => written() === 2);
  publish({ colour: 'green' });
  publish({ colour: 'green', limit: 5 });
  await until(() => declared().includes('limit'));
  await until(() => written() === 3);
  expect(server.arrivals().every(({ path }) => path !== '/sdk/events')).toBe(true);
  expect(await stop()).toBe(0);
});

test('--watch reports a refused key and a server that is away, and goes on', async () => {
  const { publish, server } = await startFlags();
  server.on('/sdk/ruleset', (_, response) => void response.writeHead(401).end());
  const { said, stop } = watch([server.baseUrl], { FLAGSVC_API_KEY: 'sdk-dev-1' });
  await until(() => said.some((line) => line.includes('401')));
  expect(said.join('')).not.toContain('sdk-dev-1');
  publish({ colour: 'red' });
  expect(declared()).toBe('');
  expect(await stop()).toBe(0);
});

test.each([
  [['ruleset.json', '--watch'], 'pass --out FILE'],
  [['ruleset.json', '--watch', '--check', '--out', 'x'], 'no --check'],
  [['http://127.0.0.1:9/api/v1', '--watch', '--out', 'x'], 'set FLAGSVC_API_KEY'],
])('%j exits with 2 and says why', async (args, message) => {
  let said = '';
  const printError = (text: string) => {
    said += text;
  };
  expect(await runTypegen(args, { env: {}, print: printError, printError })).toBe(2);
  expect(said).toContain(message);
});

test('the command with --watch ends with 0 at Ctrl-C', async () => {
  const main = join(import.meta.dirname, '..', 'src', 'typegen', 'main.ts');
  const args = ['--conditions=@flagsvc/source', main, save({ colour: 'red' }), '--out', out, '--watch'];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => declared().includes('colour'), 20_000);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test("the plugin keeps the declaration fresh while Vite's server runs, and warns instead of failing", async () => {
  save({ colour: 'red' });
  const said: string[] = [];
  const logger = createLogger('silent');
  logger.info = (text) => void said.push(text);
  logger.warn = (text) => void said.push(text);
  const plugin: Plugin = flagTypes({ source: 'ruleset.json' });
  const vite = await createServer({
    root: folder,
    configFile: false,
    customLogger: logger,
    server: { host: '127.0.0.1', port: 0, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
    plugins: [plugin, flagTypes({ source: 'missing.json', out: 'other.d.ts' })],
  });
  onTestFinished(() => vite.close());
  await vite.listen();
  await until(() => declared().includes("colour: 'red'"));
  save({ colour: 'green' });
  await until(() => declared().includes("colour: 'green'"));
  expect(said).toContain('flagsvc: wrote src/flags.d.ts');
  expect(said.join('\n')).toMatch(/flagsvc: .*missing\.json cannot be read \(ENOENT\)/);
  await vite.close();
  save({ colour: 'blue' });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(declared()).toContain("colour: 'green'");
});

test('a Vite server in middleware mode stops following when it is closed', async () => {
  save({ colour: 'red' });
  const vite = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
    plugins: [flagTypes({ source: 'ruleset.json' })],
  });
  await until(() => declared().includes("colour: 'red'"));
  await vite.close();
  save({ colour: 'green' });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(declared()).toContain("colour: 'red'");
});
