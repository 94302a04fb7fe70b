import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { type ServerProcess, startServer } from './server-process.ts';

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function run(env: Record<string, string> = {}): ServerProcess {
  const server = startServer({ FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}`, ...env });
  children.push(server.child);
  return server;
}

test('serves until a signal and logs no secret', async () => {
  const server = run();
  const url = await server.url;
  const health = await fetch(`${url}/health`);
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ status: 'ok', mode: 'oss' });
  await fetch(`${url}/api/v1/sdk/ruleset`, { headers: { 'x-api-key': 'sdk-dev-hush' } });
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(server.output.out).not.toMatch(/j{32}|a{32}|hush/);
  expect(server.output.out).toMatch(/stopping after the current requests[\s\S]*stopped"}\n$/);
  expect(server.output.err).toBe('');
});

test('serves metrics for Prometheus on the configured port', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const refused = run({ FLAGSVC_METRICS_PORT: String(port) });
  expect(await refused.exit).toBe(1);
  expect(refused.output.err).toContain('set FLAGSVC_METRICS_PORT to another port');
  taken.close();

  const server = run({ FLAGSVC_METRICS_PORT: '0' });
  const url = await server.url;
  await fetch(`${url}/api/v1/sdk/ruleset`);
  await fetch(`${url}/api/v1/flags`);
  const metricsUrl = /metrics available at (http:[^"]+)/.exec(server.output.out)![1]!;
  const answer = await fetch(metricsUrl);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  for (const line of [
    /^flagsvc_info\{version="[^"]+",mode="oss"\} 1$/m,
    /^flagsvc_http_requests_total\{plane="data",status="401"\} 1$/m,
    /^flagsvc_http_requests_total\{plane="management",status="401"\} 1$/m,
    /^flagsvc_http_request_duration_seconds_count\{operation="getRuleset",status_class="4xx"\} 1$/m,
    /^flagsvc_rulesets_published 1$/m,
    /^process_resident_memory_bytes \d+$/m,
    /^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m,
  ])
    expect(text).toMatch(line);
  expect((await fetch(new URL('/', metricsUrl))).status).toBe(404);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});

test('serves the dashboard and the same API on its port, and ends its streams at a signal', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port: takenPort } = taken.address() as { port: number };
  const refused = run({ FLAGSVC_DASHBOARD_PORT: String(takenPort) });
  expect(await refused.exit).toBe(1);
  expect(refused.output.err).toContain(
    'set FLAGSVC_DASHBOARD_PORT to another port, or to "off" to serve no dashboard',
  );
  taken.close();

  const port = await freePort();
  const server = run({ FLAGSVC_DASHBOARD_PORT: String(port) });
  const without = run({ FLAGSVC_DASHBOARD_PORT: 'off' });
  const origin = `http://localhost:${port}`;
  const startPage = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).text();
  expect(await startPage(await server.url)).toContain(`href="${origin}"`);
  expect(await startPage(await without.url)).not.toContain('Dashboard');
  expect(server.output.out).toContain(`for browsers ${origin}`);
  const page = await fetch(`http://127.0.0.1:${port}/start`, { redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([307, `${origin}/start`]);
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse' });
  const headers = {
    origin,
    host: `localhost:${port}`,
    'x-requested-with': 'flagsvc-dashboard',
    'content-type': 'application/json',
  };
  const post = (path: string) => fetch(`${origin}${path}`, { method: 'POST', headers, body });
  expect((await post('/auth/register')).status).toBe(201);
  const opened = await post('/auth/login');
  expect(opened.headers.get('set-cookie')).toContain('HttpOnly; SameSite=Strict');
  const { data } = (await opened.json()) as { data: { access_token: string } };
  const authorization = { authorization: `Bearer ${data.access_token}` };
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${origin}/api/v1${path}`, { headers: authorization });
    return ((await answer.json()) as { data: T }).data;
  };
  const [project] = await get<{ id: string }[]>('/projects');
  const [environment] = await get<{ id: string }[]>(`/projects/${project!.id}/environments`);
  const created = await fetch(`${origin}/api/v1/environments/${environment!.id}/api-keys`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: '{"name":"stream"}',
  });
  const { data: apiKey } = (await created.json()) as { data: { key: string } };
  const stream = await fetch(`${origin}/api/v1/sdk/stream`, { headers: { 'x-api-key': apiKey.key } });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  const ended = stream.text();
  server.child.kill('SIGTERM');
  expect(await ended).toContain('event:');
  expect(await server.exit).toBe(0);
});

test('stops while a client holds an idle connection', async () => {
  const server = run();
  const { port } = new URL(await server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  socket.destroy();
});

test('after a signal, answers requests in progress with Connection: close', async () => {
  const server = run();
  const { port } = new URL(await server.url);
  const open = (): { socket: Socket; received: () => string } => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.on('error', () => {});
    return { socket, received: () => text };
  };
  const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const [idle, busy] = [open(), open()];
  idle.socket.write(request);
  busy.socket.write(
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
  );
  await expect.poll(idle.received).toContain('keep-alive');
  server.child.kill('SIGTERM');
  await expect
    .poll(
      () => {
        idle.socket.write(request);
        return idle.received();
      },
      { interval: 20 },
    )
    .toMatch(/connection: close/i);
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
  busy.socket.write('}');
  await expect.poll(busy.received).toMatch(/connection: close/i);
  expect(await server.exit).toBe(0);
});

test.skipIf(!existsSync('/dev/full'))(
  'serves and stops when its log cannot be written (skipped without /dev/full)',
  async () => {
    const port = await freePort();
    const server = startServer(
      {
        FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}`,
        FLAGSVC_PORT: String(port),
        // An unknown variable, so that a warning is logged.
        FLAGSVC_COLOUR_OF_THE_SKY: 'grey',
      },
      { under: ['sh', '-c', 'exec "$0" "$@" > /dev/full 2>&1'] },
    );
    children.push(server.child);
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/api/v1/flags`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ status }) => status,
        () => 'no answer',
      );
    await expect.poll(ask, { timeout: 20_000 }).toBe(401);
    // Each request logs a line that cannot be written.
    for (let count = 0; count < 3; count++) expect(await ask()).toBe(401);
    server.child.kill('SIGTERM');
    expect(await server.exit).toBe(0);
  },
);

test('serves and stops when its log is no longer read', async () => {
  const server = run();
  const url = await server.url;
  server.child.stdout!.destroy();
  // Each request logs a line that is not read.
  for (let count = 0; count < 3; count++) expect((await fetch(`${url}/api/v1/flags`)).status).toBe(401);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
});

test('prints usage and version with any configuration', async () => {
  const ask = async (...command: string[]) => {
    const { child, exit, output } = startServer({ FLAGSVC_PORT: 'http' }, { command });
    children.push(child);
    return { code: await exit, ...output };
  };
  expect(await ask('--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('renew-epochs'),
    err: '',
  });
  expect(await ask('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('lists all errors of the configuration and does not start', async () => {
  const { exit, output } = run({
    FLAGSVC_JWT_SECRET_KEY: '',
    FLAGSVC_PORT: 'http',
    FLAGSVC_LOGLEVEL: 'INFO',
  });
  expect(await exit).toBe(1);
  expect(output.err.trim().split('\n')).toEqual([
    'flagsvc cannot start: 3 errors in its configuration.',
    expect.stringContaining('FLAGSVC_JWT_SECRET_KEY is required'),
    expect.stringContaining('FLAGSVC_PORT is "http"'),
    expect.stringContaining('did you mean FLAGSVC_LOG_LEVEL?'),
  ]);
});

test('reports in one line that its port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { exit, output } = run({ FLAGSVC_PORT: String(port) });
  expect(await exit).toBe(1);
  expect(output.err.trim().split('\n')).toEqual([
    `flagsvc cannot listen: port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or set FLAGSVC_PORT to another port.`,
  ]);
  other.close();
});

test('reports in one line that it cannot open its database', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { exit, output } = run({ FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'file', 'flags.db')}` });
  expect(await exit).toBe(1);
  expect(output.err.trim().split('\n')).toEqual([expect.stringContaining('FLAGSVC_DATABASE_URL')]);
});

test('says who needs access to which folder if it cannot write its database file', async () => {
  mkdirSync(join(folder, 'flags.db'));
  const { exit, output } = run({ FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}` });
  expect(await exit).toBe(1);
  expect(output.err).toMatch(
    /SQLITE_CANTOPEN.*must be able to write the file and its folder, \/.*FLAGSVC_DATABASE_URL/,
  );
});

test('reports an unreachable PostgreSQL without the password', async () => {
  const { exit, output } = run({
    FLAGSVC_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/flags?application_name=hush',
  });
  expect(await exit).toBe(1);
  expect(output.err).toBe(
    'flagsvc cannot open postgres://me@127.0.0.1:1/flags: connect ECONNREFUSED 127.0.0.1:1. ' +
      'See FLAGSVC_DATABASE_URL.\n',
  );
});

test.each([
  ['reachable on all interfaces', { FLAGSVC_HOST: '0.0.0.0' }, true],
  ['reachable behind a proxy', { FLAGSVC_TRUST_PROXY: '127.0.0.1' }, true],
  ['reachable only on loopback', { FLAGSVC_HOST: '127.0.0.1' }, false],
  ['reachable only on loopback, by name', { FLAGSVC_HOST: 'localhost' }, false],
  [
    'reachable on all interfaces, registration by invitation',
    { FLAGSVC_HOST: '0.0.0.0', FLAGSVC_REGISTRATION: 'invite' },
    false,
  ],
] as const)(
  'warns at the start if and only if strangers can reach the server and register: %s',
  async (_, env, warns) => {
    const server = run(env);
    await server.url;
    server.child.kill('SIGTERM');
    await server.exit;
    const lines = server.output.out
      .split('\n')
      .filter((line) => line.includes('FLAGSVC_REGISTRATION=invite'));
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(warns ? [40] : []);
  },
);
