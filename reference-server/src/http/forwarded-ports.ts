import type { FastifyInstance } from 'fastify';

/**
 * Removes ports from `X-Forwarded-For`. Some gateways append them to addresses; each connection would then count as a
 * different client, and an API key's address list would match none.
 */
export function dropForwardedPorts(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const given = headers['x-forwarded-for'];
    if (typeof given === 'string' && given.includes(':')) {
      headers['x-forwarded-for'] = given.split(',').map(withoutPort).join(',');
    }
    done();
  });
}

function withoutPort(text: string): string {
  const [, six, four] = /^\s*(?:\[([\da-f:.]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)\s*$/i.exec(text) ?? [];
  return six ?? four ?? text;
}
