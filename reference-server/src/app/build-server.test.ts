import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { validate } from '@apidevtools/swagger-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OF_THE_DASHBOARD } from '../../test/errors/not-provoked.ts';
import { startServer, type TestServer } from '../../test/server.ts';
import { ERROR_CODES } from '../http/errors.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ corsOrigins: ['https://app.example.com'], fastPath: true });
});
afterAll(() => server.close());

test('describes every operation in a valid OpenAPI document', async () => {
  const { body } = await server.anonymous.raw({ url: '/openapi.json' });
  await expect(validate(structuredClone(body))).resolves.toBeDefined();
  const operations = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  );
  expect(operations.length).toBeGreaterThan(35);
  expect(new Set(operations).size).toBe(operations.length);
});

test('documents every error code on some route', async () => {
  const document = (await server.anonymous.raw({ url: '/openapi.json' })).body;
  const named = new Set<string>();
  JSON.stringify(document, (name, value) => {
    if (name === 'code') for (const code of value?.enum ?? [value?.const]) named.add(code);
    return value;
  });
  // The dashboard's address has codes of its own, for requests that no operation of the API gets.
  const missing = Object.keys(ERROR_CODES).filter((code) => !named.has(code));
  expect(missing).toEqual(OF_THE_DASHBOARD);
});

test('sends CORS headers to configured origins only', async () => {
  const preflight = (origin: string) =>
    server.app.inject({
      method: 'OPTIONS',
      url: '/api/v1/flags',
      headers: { origin, 'access-control-request-method': 'PUT' },
    });
  const known = await preflight('https://app.example.com');
  expect(known.statusCode).toBe(204);
  expect(known.headers['access-control-allow-origin']).toBe('https://app.example.com');
  expect(known.headers['access-control-allow-methods']).toContain('PUT');
  expect(known.headers.allow).toBe('GET, HEAD, POST, OPTIONS');
  expect(known.headers['access-control-allow-credentials']).toBeUndefined();
  const other = await preflight('https://evil.example.com');
  expect(other.headers['access-control-allow-origin']).not.toBe('https://evil.example.com');
  const origin = 'https://app.example.com';
  const answer = await server.anonymous.raw({ url: '/health', headers: { origin } });
  expect(answer.headers['access-control-expose-headers']).toContain('X-RateLimit-Reset');
});

test('sends no CORS headers when no origin is configured', async () => {
  const silent = await startServer();
  const origin = 'https://a.example';
  const { headers } = await silent.anonymous.raw({ url: '/health', headers: { origin } });
  expect(headers['access-control-allow-origin']).toBeUndefined();
  await silent.close();
});

test('serves a flag to SDKs as soon as its change is acknowledged', async () => {
  const { development } = server.environments;
  const { apiKeys } = server.as('admin');
  const { flags } = server.as('editor').in(development);
  const { key } = await apiKeys.create(development, { name: 'sdk' });
  const { dataPlane } = server.withKey(key!);
  const { id } = await flags.create({
    key: 'live',
    name: 'Live',
    flag_type: 'string',
    variations: [
      { key: 'a', name: 'A', value: 'a' },
      { key: 'b', name: 'B', value: 'b' },
    ],
    default_variation: 'a',
  });
  const evaluate = async () => {
    const { evaluations } = await dataPlane.evaluate({ flags: ['live'], context: { user_key: 'u1' } });
    return evaluations['live'];
  };
  const versionOf = async () => (await dataPlane.ruleset()).version;

  expect(await evaluate()).toMatchObject({ value: 'a', reason: 'DISABLED' });
  const first = await versionOf();
  await flags.toggle(id, true);
  expect(await evaluate()).toMatchObject({ value: 'a', reason: 'DEFAULT' });
  expect(await versionOf()).toBe(first + 1);
  const { targeting_rules } = await flags.update(id, {
    targeting_rules: [{ priority: 1, conditions: [], variation: 'b' }],
  });
  expect(await evaluate()).toEqual({
    value: 'b',
    reason: 'TARGETING_RULE',
    rule_id: targeting_rules[0]!.id,
    variation_key: 'b',
  });
  await flags.archive(id);
  expect(await evaluate()).toMatchObject({ value: 'a', reason: 'DISABLED' });
});

test('answers requests on open connections while it closes', async () => {
  const closing = await startServer();
  await closing.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = closing.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  const head = (request: string) => `${request} HTTP/1.1\r\nHost: localhost\r\n`;
  const post = head('POST /api/v1/auth/login');
  socket.write(`${post}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{`);
  await once(closing.app.server, 'request');
  const closed = closing.close();
  await expect.poll(() => closing.app.server.listening).toBe(false);
  socket.write(`}${head('GET /api/v1/auth/me')}\r\n`);
  await once(socket, 'close');
  await closed;
  const [first, second] = answer.split(/(?=HTTP\/1)/);
  expect(first).toMatch(/^HTTP\/1.1 400 .*VALIDATION_ERROR/s);
  expect(second).toMatch(/^HTTP\/1.1 401 .*connection: close.*UNAUTHENTICATED/is);
});

test('answers malformed HTTP with the error envelope', async () => {
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as { port: number };
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(text.split('\r\n\r\n')[1]!).error.code).toBe('VALIDATION_ERROR');
});

test('limits the time in which a request must arrive', () => {
  const { requestTimeout, headersTimeout } = server.app.server;
  expect([requestTimeout, headersTimeout]).toEqual([60_000, 60_000]);
});

test('names Origin in Vary when origins are configured, even in a 304', async () => {
  const { address, port } = server.app.server.address() as { address: string; port: number };
  const { key } = await server.as('admin').apiKeys.create(server.environments.development, { name: 'polls' });
  const ask = (more: Record<string, string> = {}) =>
    fetch(`http://${address}:${port}/api/v1/sdk/ruleset`, {
      headers: { 'x-api-key': key!, ...more },
    });
  const first = await ask();
  await first.text();
  const poll = await ask({ 'if-none-match': first.headers.get('etag')! });
  expect([poll.status, poll.headers.get('vary')]).toEqual([
    304,
    'Origin, X-API-Key, Accept, Accept-Encoding',
  ]);
});
