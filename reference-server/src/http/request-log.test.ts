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

test('names the request in what it logs', async () => {
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

test('writes one line a request where it is asked to, and none elsewhere', async () => {
  const { app, lines } = setUp('info');
  app.register(async (inner) => {
    logRequests(inner);
    inner.get('/told', async (_request, reply) => reply.code(201).send(''));
  });
  app.get('/untold', async () => '');
  await app.inject('/untold');
  await app.inject('/told?x=1');
  expect(lines).toMatchObject([{ msg: 'request', method: 'GET', url: '/told?x=1', status: 201 }]);
});
