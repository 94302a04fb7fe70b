import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { registerWarnings } from './warnings.ts';

test('does not change an answer that an earlier hook has sent', async () => {
  const app = Fastify();
  app.addHook('onRequest', (_request, reply, done) => {
    if (reply.request.url === '/refused') reply.code(503).send('later');
    else done();
  });
  registerWarnings(app);
  app.get('/refused', () => 'never');
  app.get('/served', () => 'now');
  const answers = await Promise.all(['/refused', '/served'].map((url) => app.inject(url)));
  expect(answers.map(({ statusCode, payload }) => [statusCode, payload])).toEqual([
    [503, 'later'],
    [200, 'now'],
  ]);
  await app.close();
});
