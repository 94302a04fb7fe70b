import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startDashboard, type TestDashboard } from '../../test/dashboard.ts';

let server: TestDashboard;
afterEach(() => server.close());

/** Writes bytes to the dashboard's port and collects the answer. */
async function open(text: string) {
  const socket = connect(server.port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(text);
  return { socket, closed, received: () => received };
}

const headOf = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const host = (): string => `Host: localhost:${server.port}`;

describe('the API at the address of the dashboard', () => {
  test('gets the request itself', async () => {
    server = await startDashboard();
    const { answer } = await server.logIn();
    const headers = { authorization: `Bearer ${answer.json.data!['access_token']}` };
    const projects = await server.send({ path: '/api/v1/projects', headers });
    expect([projects.status, (projects.json.data as unknown as unknown[]).length]).toEqual([200, 1]);
    expect(projects.headers['x-ratelimit-limit']).toBeDefined();
    expect(projects.headers['referrer-policy']).toBe('no-referrer');
    expect((await server.send({ path: '/openapi.json' })).status).toBe(200);
    expect((await server.send({ path: '/docs' })).text).toContain('docs/reference.js');
    expect((await server.send({ path: '/health' })).json).toMatchObject({ status: 'ok' });
    expect((await server.send({ path: '/apis' })).text).toContain('<!doctype html>');
    const head = await server.send({ method: 'HEAD', path: '/api/v1/instance' });
    expect([head.status, head.text]).toEqual([200, '']);
    const options = await server.send({ method: 'OPTIONS', path: '/api/v1/instance' });
    expect([options.status, options.headers.allow]).toEqual([204, expect.stringContaining('GET')]);
    expect(options.headers['access-control-allow-origin']).toBeUndefined();
    const encoded = await server.send({ path: '/api/v1%2finstance' });
    expect(encoded.status).toBe(404);
  });

  test('counts the client by its own address, whatever X-Forwarded-For says', async () => {
    server = await startDashboard({ limits: { auth: 3 } });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      const body = { email: 'nobody@example.com', password: 'wrong password' };
      const headers = { 'x-forwarded-for': `10.1.1.${count}`, forwarded: `for=10.1.1.${count}` };
      statuses.push((await server.fromPage('/auth/login', body, headers)).status);
    }
    expect(statuses.slice(3)).toEqual([429, 429]);
  });

  test('believes X-Forwarded-For of a trusted proxy', async () => {
    server = await startDashboard({ limits: { auth: 3 }, trustProxy: ['127.0.0.1'] });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      const body = { email: `nobody${count}@example.com`, password: 'wrong password' };
      const headers = { 'x-forwarded-for': `10.1.1.${count}:4000` };
      statuses.push((await server.fromPage('/auth/login', body, headers)).status);
    }
    expect(statuses).toEqual(Array(5).fill(401));
  });

  test('sees no header less because Connection lists it', async () => {
    server = await startDashboard();
    const { answer } = await server.logIn();
    const me = await open(
      headOf(
        'GET /api/v1/auth/me HTTP/1.1',
        host(),
        'Connection: close, authorization, host',
        `Authorization: Bearer ${answer.json.data!['access_token']}`,
      ),
    );
    await me.closed;
    expect(me.received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['an unknown coding', ['Transfer-Encoding: xchunked']],
    ['a space before the colon', ['Content-Length : 5']],
  ])('refuses requests whose end is ambiguous: %s', async (_, lines) => {
    server = await startDashboard();
    const { closed, received, socket } = await open(
      `${headOf('POST /api/v1/auth/register HTTP/1.1', host(), 'Connection: close', ...lines)}0\r\n\r\nGET /health HTTP/1.1\r\n\r\n`,
    );
    await closed;
    socket.destroy();
    expect(received()).toMatch(/^HTTP\/1\.1 4(00|21) /);
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('refuses two hosts', async () => {
    server = await startDashboard();
    for (const second of ['evil.example', `localhost:${server.port}`]) {
      const lines = ['GET / HTTP/1.1', host(), `Host: ${second}`, 'Connection: close'];
      const { closed, received } = await open(headOf(...lines));
      await closed;
      expect(received()).toMatch(/^HTTP\/1\.1 421 /);
    }
  });

  test('refuses addresses of other hosts in the request line', async () => {
    server = await startDashboard();
    for (const target of [`http://evil.example/api/v1/instance`, '*', 'localhost:80']) {
      const { closed, received } = await open(headOf(`GET ${target} HTTP/1.1`, host(), 'Connection: close'));
      await closed;
      expect(received()).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
  });
});

test('bodies of sessions that never end have a bounded share of the memory', async () => {
  server = await startDashboard();
  const page = ['Content-Type: application/json', 'X-Requested-With: flagsvc-dashboard'];
  const head = headOf(
    ...['POST /auth/login HTTP/1.1', host(), `Origin: ${server.origin}`, ...page],
    'Content-Length: 65536',
  );
  const unfinished = await Promise.all(Array.from({ length: 80 }, () => open(head + ' '.repeat(65_000))));
  const refused = () => unfinished.filter(({ received }) => received().startsWith('HTTP/1.1 503 '));
  await expect.poll(() => refused().length).toBeGreaterThan(10);
  expect(refused().length).toBeLessThan(80);
  expect((await server.logIn()).answer.status).toBe(200);
  for (const { socket } of unfinished) socket.destroy();
});

describe('streams of SDKs at the address of the dashboard', () => {
  async function openStream() {
    const { answer } = await server.logIn();
    const api = server.withToken(answer.json.data!['access_token'] as string);
    const [project] = await api.projects.list();
    const [environment] = await api.environments.listOf(project!.id);
    const { key } = await api.apiKeys.create(environment!.id, { name: 'Server' });
    const stream = await open(
      headOf('GET /api/v1/sdk/stream HTTP/1.1', host(), `X-API-Key: ${key}`, 'Accept: text/event-stream'),
    );
    await expect.poll(stream.received).toContain('event:');
    return { stream, api, environmentId: environment!.id };
  }

  test('carry changes at once', async () => {
    server = await startDashboard();
    const { stream, api, environmentId } = await openStream();
    expect(stream.received()).toContain('text/event-stream');
    const before = stream.received().length;
    await server.call({
      method: 'POST',
      url: `/flags?environment_id=${environmentId}`,
      token: (await server.logIn()).answer.json.data!['access_token'] as string,
      body: {
        key: 'new-flag',
        name: 'New flag',
        flag_type: 'boolean',
        variations: [
          { key: 'on', name: 'On', value: true },
          { key: 'off', name: 'Off', value: false },
        ],
        default_variation: 'off',
      },
    });
    await expect.poll(() => stream.received().length).toBeGreaterThan(before);
    expect(await api.auth.me()).toBeDefined();
    stream.socket.destroy();
  });

  test('end when the app closes', async () => {
    server = await startDashboard();
    const { stream } = await openStream();
    await server.app.close();
    await expect.poll(stream.received).toMatch(/\r\n0\r\n\r\n$/);
    stream.socket.destroy();
  });
});
