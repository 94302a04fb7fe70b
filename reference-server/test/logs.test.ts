import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createApi } from './api.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { createHttpTransport } from './transports.ts';

const PASSWORD = 'hush correct horse';
const PROJECT_ID = 'prj_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const CREDENTIALS = { email: 'ada@example.com', password: PASSWORD };

const running: ServerProcess[] = [];
afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill('SIGKILL');
    await exit;
  }
});

function run(env: Record<string, string> = {}, under: readonly string[] = []): ServerProcess {
  const server = startServer({ FLAGSVC_DATABASE_URL: 'sqlite::memory:', ...env }, { under });
  running.push(server);
  return server;
}

async function stop({ child, exit, output }: ServerProcess): Promise<string> {
  child.kill('SIGTERM');
  await exit;
  return output.out;
}

/** Runs the program with a pseudo-terminal as its standard output. */
const ON_TERMINAL = [
  'python3',
  '-c',
  `import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
while True:
    try: chunk = os.read(terminal, 65536)
    except OSError: break
    if not chunk: break
    os.write(1, chunk)
os.waitpid(pid, 0)`,
];

/** Registers and logs in; returns the session's token. */
async function enter(url: string): Promise<string> {
  const anonymous = createApi({ transport: createHttpTransport(url) });
  await anonymous.auth.register(CREDENTIALS);
  return (await anonymous.auth.login(CREDENTIALS)).access_token;
}

/** Sends a request with a path and headers exactly as given; resolves to the status. */
async function send(
  url: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string },
) {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise<number>((resolve, reject) => {
    const sent = request(new URL(url), { method, path, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
    });
    sent.on('error', reject).end(body);
  });
}

const entriesOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('logs each write and each failure once, with actor, operation, code and request id', async () => {
  const server = run();
  const url = await server.url;
  const token = await enter(url);
  const authorization = `Bearer ${token}`;
  const headers = { authorization, 'content-type': 'application/json', 'x-request-id': 'mine-1' };
  expect(await send(url, '/api/v1/auth/me', { headers })).toBe(200);
  expect(
    await send(url, '/api/v1/projects', { method: 'POST', headers, body: '{"key":"shop","name":"Shop"}' }),
  ).toBe(201);
  expect(await send(url, `/api/v1/projects/${PROJECT_ID}`, { headers })).toBe(404);
  expect(await send(url, '/api/v1/sdk/ruleset', { headers: { 'x-api-key': 'hush' } })).toBe(401);
  const entries = entriesOf(await stop(server)).filter(({ request_id }) => request_id !== undefined);
  const actor = { kind: 'user', id: expect.stringMatching(/^usr_/), email: 'ada@example.com' };
  expect(entries).toMatchObject([
    { operation: 'register', method: 'POST', status: 201, actor: null },
    { operation: 'login', status: 200 },
    { level: 30, operation: 'createProject', status: 201, actor, request_id: 'mine-1', address: '127.0.0.1' },
    {
      level: 30,
      operation: 'getProject',
      status: 404,
      code: 'PROJECT_NOT_FOUND',
      actor,
      path: `/api/v1/projects/${PROJECT_ID}`,
    },
    { level: 30, operation: 'getRuleset', status: 401, code: 'INVALID_API_KEY', actor: null },
  ]);
});

test('logs no secret and no forged line, wherever a client puts them', async () => {
  const server = run({ FLAGSVC_LOG_LEVEL: 'debug' });
  const url = await server.url;
  const token = await enter(url);
  const secret = `hush-${'z'.repeat(20)}`;
  const evil = `${secret}\u009b31m`;
  const json = { 'content-type': 'application/json' };
  const escapes = encodeURIComponent(`\n{"level":60,"msg":"forged"}\u001b[2J${secret}`);
  for (const authorization of [`Bearer ${token}`, `Bearer ${secret}`, secret]) {
    for (const path of [
      `/api/v1/flags?search=${secret}`,
      `/api/v1/flags/${secret}`,
      `/${escapes}/x?${escapes}`,
      `/api/v1/${secret}%zz`,
      `/ofrep/v1/evaluate/flags/${secret}`,
      `//${secret}@host/api/v1/flags`,
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const headers = {
          ...json,
          authorization,
          'x-api-key': secret,
          'x-request-id': `${secret} x`,
          'user-agent': evil,
          cookie: `flagsvc=${secret}`,
          traceparent: secret,
          'x-forwarded-for': secret,
          origin: `https://${secret}`,
        };
        await send(url, path, {
          method,
          headers,
          ...(method === 'POST' && { body: `{"password":"${secret}"` }),
        });
      }
    }
  }
  for (const body of [
    { email: 'bob@example.com', password: secret },
    { email: evil, password: [secret] },
  ]) {
    for (const path of ['login', 'register', 'refresh', 'password/forgot', 'password/reset']) {
      await send(url, `/api/v1/auth/${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
    }
  }
  const out = await stop(server);
  expect(out).not.toContain(PASSWORD);
  expect(out).not.toContain(token);
  expect(out).not.toMatch(/hush-z/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left.
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  const entries = entriesOf(out);
  expect(entries.filter(({ msg }) => msg === 'forged')).toEqual([]);
  expect(entries.length).toBeGreaterThan(50);
});

test.each([
  ['in colour', {}, true],
  ['without colour by NO_COLOR', { NO_COLOR: '1' }, false],
  ['without colour on a dumb terminal', { TERM: 'dumb' }, false],
])('writes columns on a terminal, %s', async (_, env, hasColor) => {
  const server = run({ TERM: 'xterm', ...env }, ON_TERMINAL);
  const url = await server.url;
  await enter(url);
  const out = await stop(server);
  expect(out.includes('\u001b[')).toBe(hasColor);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
  const plain = out.replaceAll(/\u001b\[\d+m/g, '');
  expect(plain).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}INFO {3}listening on http:/m);
  expect(plain).toMatch(
    / {2}INFO {3}200 {2}POST {4}login {22} +\d+ ms {2}- .* \/api\/v1\/auth\/login {2}request_id=/,
  );
});

test('names the page for the first user when the dashboard is on', async () => {
  const server = run({ FLAGSVC_DASHBOARD_PORT: '0', FLAGSVC_DASHBOARD_URL: 'https://flags.example.com' });
  await server.url;
  await expect
    .poll(() => server.output.out)
    .toContain('No user yet: register at https://flags.example.com/register');
});
