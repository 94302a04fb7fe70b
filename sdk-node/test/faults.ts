import { gzipSync } from 'node:zlib';
import type { Answer, Arrival } from './loopback-server.ts';

/** The path's usual content type, so that only the body is faulty. */
const typeOf = ({ path }: Arrival) => ({
  'content-type': path === '/sdk/stream' ? 'text/event-stream' : 'application/json',
});
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end('{"error":{"code":"X"}}');
const body =
  (text: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (arrival, response) =>
    void response.writeHead(200, { ...typeOf(arrival), etag: '"bad"', ...headers }).end(text);
const raw =
  (text: string, thenDestroy: boolean): Answer =>
  (_, __, socket) =>
    void socket.write(text, () => thenDestroy && socket.destroy());

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: "bad"\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
/** Sends as long as the client reads. */
const pour =
  (headers: Record<string, string>): Answer =>
  (arrival, response) => {
    response.writeHead(200, { ...typeOf(arrival), etag: '"bad"', ...headers });
    const chunk = Buffer.alloc(65_536, 0x20);
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', write);
    write();
  };
const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20));

/** The faults of an answer; the first two affect the whole server. */
export const FAULTS: Readonly<Record<string, Answer | 'stop' | 'hide'>> = {
  'connection refused until the server starts again': 'stop',
  'no such host': 'hide',
  'no answer at all': () => {},
  'reset before the headers': (_, __, socket) => void socket.resetAndDestroy(),
  'reset in the headers': raw('HTTP/1.1 200 OK\r\ncontent-ty', true),
  'reset in the body': raw(`${CHUNKED}10\r\n{"data":{"versio`, true),
  'silence after the headers': raw(CHUNKED, false),
  'silence in the body': raw(`${CHUNKED}10\r\n{"data":{"versio\r\n`, false),
  'one byte at a time, forever': (arrival, response) => {
    response.writeHead(200, { ...typeOf(arrival), etag: '"bad"' });
    const timer = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(timer));
  },
  'cut at a wrong Content-Length': raw(`${HEAD}content-length: 5000\r\n\r\n{"data":{}}`, true),
  'not HTTP': raw('SSH-2.0-OpenSSH_9.2\r\n', true),
  'a bad chunk': raw(`${CHUNKED}zz\r\nnonsense\r\n`, false),
  'a flipped bit': body('{"data"z{"version":2}}'),
  'bytes that are not UTF-8': body(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  HTML: body('<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  'an empty body': body(''),
  'a body cut short': body('{"data":{"version":2,"environment_id":"env_test","flags":[{"key"'),
  'another shape': body('{"data":{"features":{"greeting":"bad"}}}'),
  'an array instead of an object': body('{"data":[{"key":"greeting"}]}'),
  'an object instead of an array': body(
    '{"data":{"version":2,"environment_id":"e","flags":{},"segments":[]}}',
  ),
  'the flags removed': body('{"data":{"version":2,"environment_id":"e","segments":[]}}'),
  'only broken flags': body(
    '{"data":{"version":2,"environment_id":"e","flags":[{"key":"greeting"}],"segments":[]}}',
  ),
  'brackets 100,000 deep': body('['.repeat(100_000)),
  'a gzip bomb': body(bomb, { 'content-encoding': 'gzip' }),
  'a body that is not gzip, declared as gzip': body('{"data":{}}', { 'content-encoding': 'gzip' }),
  'a body without end': pour({}),
  'a body of 100 MB': pour({ 'content-length': '100000000' }),
  'the good tag on a bad body': body('{"data":1}', { etag: '"v1"' }),
  'a redirect to itself': (_, response) =>
    void response.writeHead(302, { location: '/api/v1/sdk/ruleset' }).end(),
  'status 304 unasked': (_, response) => void response.writeHead(304).end(),
  'status 204': (_, response) => void response.writeHead(204).end(),
  'status 400': status(400),
  'status 401': status(401),
  'status 403': status(403),
  'status 404': status(404),
  'status 408': status(408),
  'status 410': status(410),
  'status 413': status(413),
  'status 429': status(429),
  'status 429 with Retry-After': status(429, { 'retry-after': '1' }),
  'status 500': status(500),
  'status 500 with a body without end': (_, response) => {
    response.writeHead(500);
    response.write('<html>');
  },
  'status 502': status(502),
  'status 503': status(503),
  'status 504': status(504),
};
