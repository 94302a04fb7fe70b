import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify, { LogController } from 'fastify';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { registerErrors } from '../error-handler.ts';
import { ApiError } from '../errors.ts';
import { registerRequestLog } from './request-log.ts';

const USER = {
  kind: 'user',
  id: 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  email: 'ada@example.com',
  name: undefined,
};
const FLAG_ID = 'flg_01ARZ3NDEKTSV4RRFFQ69G5FAV';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An app with a management route and an SDK route, and the lines that it logs. `clock.ms` is its time. */
function setUp(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level, base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const app = Fastify({
    genReqId: () => 'request-1',
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  });
  closers.push(() => app.close());
  const clock = { ms: 1_000 };
  registerRequestLog(app, { logger, traceIdOf: () => 'trace-1', now: () => clock.ms });
  registerErrors(app);
  app.decorateRequest('actor', null);
  app.addHook('onRequest', async (request) => {
    if (request.headers['x-user'] !== undefined) request.actor = USER as never;
  });
  app.post('/flags/:flag_id/toggle', { schema: { operationId: 'toggleFlag' } }, async (_, reply) => {
    clock.ms += 12.4;
    return reply.code(201).send('');
  });
  app.get('/flags', { schema: { operationId: 'listFlags' } }, async () => '');
  app.post('/evaluate', { config: { access: 'apiKey' } }, async () => '');
  app.get('/refused', async () => {
    throw new ApiError('RATE_LIMIT_EXCEEDED');
  });
  app.get('/broken', async () => {
    throw new Error('the disk is on fire');
  });
  return { app, lines, clock };
}

test('adds the request id to every line that a handler logs', async () => {
  const { app, lines } = setUp();
  app.get('/', async (request) => {
    request.log.error({ err: new Error('broken') }, 'it failed');
    request.log.debug('not logged');
    request.log.child({ part: 'two' }).warn('careful');
    return '';
  });
  await app.inject('/');
  expect(lines).toMatchObject([
    { level: 50, request_id: 'request-1', msg: 'it failed', err: { message: 'broken' } },
    { level: 40, request_id: 'request-1', part: 'two', msg: 'careful' },
  ]);
});

test('writes one line for a write, with actor, operation, status, duration and trace', async () => {
  const { app, lines } = setUp();
  const url = `/flags/${FLAG_ID}/toggle?key=hush`;
  await app.inject({ method: 'POST', url, headers: { 'x-user': '1' }, remoteAddress: '192.0.2.7' });
  const { name: _, ...actor } = USER;
  expect(lines).toEqual([
    {
      level: 30,
      request_id: 'request-1',
      operation: 'toggleFlag',
      method: 'POST',
      path: `/flags/${FLAG_ID}/toggle`,
      status: 201,
      ms: 12,
      actor,
      address: '192.0.2.7',
      trace_id: 'trace-1',
      msg: 'request',
    },
  ]);
});

test('writes no line for successful reads and evaluations, except at level debug', async () => {
  const { app, lines } = setUp();
  const debug = setUp('debug');
  for (const one of [app, debug.app]) {
    await one.inject('/flags');
    await one.inject({ method: 'POST', url: '/evaluate' });
  }
  expect(lines).toEqual([]);
  expect(debug.lines).toMatchObject([
    { level: 20, operation: 'listFlags', status: 200 },
    { level: 20, path: '/evaluate', status: 200 },
  ]);
});

test('writes one line for each failure, with its error code and, for a fault, the error', async () => {
  const { app, lines } = setUp();
  for (const url of ['/refused', '/broken', '/secret-path/flags']) await app.inject(url);
  await app.inject({ method: 'DELETE', url: '/flags' });
  expect(lines).toMatchObject([
    { level: 30, status: 429, code: 'RATE_LIMIT_EXCEEDED', path: '/refused', actor: null },
    { level: 50, status: 500, code: 'INTERNAL_ERROR', err: { message: 'the disk is on fire' } },
    { level: 30, status: 404, code: 'NOT_FOUND', operation: 'unknown', path: '/…/flags' },
    { level: 30, status: 405, code: 'METHOD_NOT_ALLOWED', method: 'DELETE', path: '/flags' },
  ]);
});

test('writes a line for a write whose client does not wait for the answer', async () => {
  const { app, lines } = setUp();
  let finish = (): void => {};
  const begun = new Promise<void>((begin) => {
    app.post('/slow', async () => {
      begin();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return '';
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
  await begun;
  socket.destroy();
  await expect.poll(() => lines).toMatchObject([{ path: '/slow', aborted: true }]);
  finish();
});

test('limits the lines about failures of strangers, reports how many were left out, and logs members always', async () => {
  const { app, lines, clock } = setUp();
  for (let count = 0; count < 200; count++) await app.inject('/refused');
  expect(lines).toHaveLength(50);
  await app.inject('/broken');
  expect(lines.at(-1)).toMatchObject({ code: 'INTERNAL_ERROR' });
  await app.inject({ url: '/refused', headers: { 'x-user': '1' } });
  expect(lines.at(-1)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', actor: { id: USER.id } });
  clock.ms += 100;
  await app.inject('/refused');
  expect(lines.at(-1)).toMatchObject({ left_out: 150, actor: null });
});

test('shows nothing of a path but literal parts of routes, ids and revisions', async () => {
  const { app, lines } = setUp();
  const secret = 'sdk-prod-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab';
  for (const url of [
    `/flags/${secret}/toggle`,
    `/flags/${FLAG_ID}/revisions/12`,
    '/flags/hunter2?password=hunter2',
    '/flags/%0a%1b[31m/toggle',
    `/${'x/'.repeat(2_000)}`,
  ])
    await app.inject({ url, headers: { 'x-user': '1' } });
  expect(lines.map(({ path }) => path)).toEqual([
    '/flags/…/toggle',
    `/flags/${FLAG_ID}/…/12`,
    '/flags/…',
    '/flags/…/toggle',
    `/${'…/'.repeat(15)}…`,
  ]);
});
