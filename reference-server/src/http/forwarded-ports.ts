import type { FastifyInstance } from 'fastify';

/**
 * Takes ports out of `X-Forwarded-For`: some gateways write them behind addresses, and each connection would count as
 * somebody else, or as nobody whom a key allows.
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
