import Fastify, { LogController } from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logRequests, registerRequestLog } from './request-log.ts';

function setUp(level: string) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level, base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const app = Fastify({
    genReqId: () => 'request-1',
    logController: new LogController({ disableRequestLogging: true }),
  });
  registerRequestLog(app, logger);
  return { app, lines };
}

test('adds the request id to every line that a handler logs', async () => {
  const { app, lines } = setUp('info');
  app.get('/', async (request) => {
    request.log.error({ err: new Error('broken') }, 'it failed');
    request.log.debug('not logged');
    request.log.child({ part: 'two' }).warn('careful');
    return '';
  });
  await app.inject('/');
  expect(lines).toMatchObject([
    { level: 50, reqId: 'request-1', msg: 'it failed', err: { message: 'broken' } },
    { level: 40, reqId: 'request-1', part: 'two', msg: 'careful' },
  ]);
});

test('writes one line per request to a route that opts in, and none for others', async () => {
  const { app, lines } = setUp('info');
  app.register(async (inner) => {
    logRequests(inner);
    inner.get('/logged', async (_request, reply) => reply.code(201).send(''));
  });
  app.get('/unlogged', async () => '');
  await app.inject('/unlogged');
  await app.inject('/logged?x=1');
  expect(lines).toMatchObject([{ msg: 'request', method: 'GET', url: '/logged?x=1', status: 201 }]);
});
