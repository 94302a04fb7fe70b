import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { createApp } from '../app/create-app.ts';
import { readOrigin } from '../process/config-values.ts';
import { registerCors } from './cors.ts';
import { registerErrors } from './error-handler.ts';

const running: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
});

/** An app that allows these origins, and the messages of its warnings. */
async function start(origins: readonly string[]) {
  const warnings: string[] = [];
  const ignore = () => {};
  const warn = (_: unknown, message: string) => void warnings.push(message);
  const levels = { trace: ignore, debug: ignore, info: ignore, error: ignore, fatal: ignore, warn };
  const logger = { ...levels, level: 'warn', silent: ignore, child: () => logger };
  const app = createApp({ logger: logger as never, trustProxy: [] });
  running.push(app);
  await registerCors(app, origins);
  registerErrors(app);
  app.get('/flags', async () => ({}));
  /** The origin that a page of this origin finds in the answer to its preflight. */
  const ask = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'GET' };
    const answer = await app.inject({ method: 'OPTIONS', url: '/flags', headers });
    return answer.headers['access-control-allow-origin'];
  };
  return { app, warnings, ask };
}

test('a star as port allows every port of that host, and no other host', async () => {
  const { ask } = await start(['http://localhost:*', 'https://app.example.com']);
  for (const origin of ['http://localhost', 'http://localhost:5173', 'https://app.example.com'])
    expect(await ask(origin)).toBe(origin);
  for (const origin of [
    'https://localhost:5173',
    'http://localhost.evil.example:5173',
    'http://localhost:5173.evil.example',
    'http://localhost:1@evil.example',
    'http://notlocalhost:5173',
    'http://localhostx5173',
    'https://app.example.com:8443',
  ])
    expect([origin, await ask(origin)]).toEqual([origin, undefined]);
});

test('a dot of an origin with a star stands for itself', async () => {
  const { ask } = await start(['http://a.example:*']);
  expect(await ask('http://a.example:1')).toBe('http://a.example:1');
  expect(await ask('http://axexample:1')).toBeUndefined();
});

test.each([
  ['some origins', ['https://app.example.com']],
  ['no origin', []],
])('with %s allowed, a refused origin is logged once, with its remedy', async (_, allowed) => {
  const { ask, warnings, app } = await start(allowed);
  await ask('http://localhost:5173');
  await ask('http://localhost:5173');
  await ask('https://other.example');
  for (const origin of allowed) await ask(origin);
  expect(warnings).toEqual([
    'Pages of http://localhost:5173 cannot call this server. To allow them, add this origin to FLAGSVC_CORS_ORIGINS and restart.',
    'Pages of https://other.example cannot call this server. To allow them, add this origin to FLAGSVC_CORS_ORIGINS and restart.',
  ]);
  // Not a preflight: any program may send the header.
  await app.inject({ url: '/flags', headers: { origin: 'https://third.example' } });
  await app.inject({ method: 'OPTIONS', url: '/flags', headers: { origin: 'https://third.example' } });
  expect(warnings).toHaveLength(2);
});

test('a page from a file gets a remedy of its own', async () => {
  const { ask, warnings } = await start([]);
  await ask('null');
  expect(warnings).toEqual([
    'A page without an origin, such as a local file, cannot call this server. Serve it over HTTP, and add its origin to FLAGSVC_CORS_ORIGINS.',
  ]);
});

test('with a star for all origins, nothing is refused', async () => {
  const { ask, warnings } = await start(['*']);
  expect(await ask('null')).toBe('*');
  expect(warnings).toEqual([]);
});

test('strangers cannot fill the log', async () => {
  const { ask, warnings } = await start([]);
  for (let at = 0; at < 100; at++) await ask(`https://${at}.example`);
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toContain('no further');
});

test('text that is not an origin is not logged', async () => {
  const { ask, warnings } = await start([]);
  for (const origin of ['x', `https://${'x'.repeat(5_000)}.example`, 'https://a.example/path', 'file://'])
    await ask(origin);
  expect(warnings).toEqual([]);
});

test.each(['http://localhost:*', 'https://app.example.com:*'])('%s is an origin', (text) => {
  expect(readOrigin(text)).toBe(text);
});

test.each([
  'http://*:*',
  'http://*.example.com',
  'localhost:*',
  'http://localhost:*/path',
  'http://:*',
  'http://a:8*',
])('%s is refused', (text) => {
  expect(() => readOrigin(text)).toThrow('is not an origin');
});
