import { createServer, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../platform/system-clock.ts';
import { type HttpAnswer, requestHttp } from './http-request.ts';
import { createUpstream } from './upstream.ts';

const MIB = 2 ** 20;
const servers: (Server | TcpServer)[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

const listen = async (server: Server | TcpServer): Promise<string> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const serve = (listener: RequestListener): Promise<string> => listen(createServer(listener));
/** A server that writes these bytes to each connection once something has come. */
const serveBytes = (text: string): Promise<string> =>
  listen(
    createTcpServer((socket) => void socket.on('error', () => {}).once('data', () => socket.write(text))),
  );
const get = (url: string, signal = AbortSignal.timeout(10_000)): Promise<HttpAnswer> =>
  requestHttp(url, { method: 'GET', headers: {}, signal });
const textOf = async ({ body }: HttpAnswer): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const codeOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => 'none',
    ({ cause, code, message }) => cause?.code ?? code ?? message,
  );

test('sends the method, headers and body, and reads status, headers and body', async () => {
  const url = await serve((request, response) => {
    const { method, headers } = request;
    response.writeHead(418, { 'X-Count': ['1', '2'] });
    request.on('data', (chunk) =>
      response.end(`${method} ${headers['x-api-key']} ${headers['content-length']} ${chunk}`),
    );
  });
  const answer = await requestHttp(url, {
    method: 'POST',
    headers: { 'x-api-key': 'k' },
    body: '"ü"',
    signal: AbortSignal.timeout(10_000),
  });
  expect([answer.status, answer.headers.get('X-COUNT'), answer.headers.get('etag')]).toEqual([
    418,
    '1, 2',
    null,
  ]);
  expect(await textOf(answer)).toBe('POST k 4 "ü"');
});

test('uses one connection for requests that follow each other, also when their controllers abort afterwards', async () => {
  const ports = new Set<unknown>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x'.repeat(100_000));
  });
  for (let count = 0; count < 20; count++) {
    const controller = new AbortController();
    await textOf(await get(url, controller.signal));
    controller.abort();
  }
  expect(ports.size).toBe(1);
});

test('sends a request again when the server has just closed the connection of an earlier one', async () => {
  let seen = 0;
  const url = await listen(
    createTcpServer((socket: Socket) => {
      let count = 0;
      socket.on('error', () => {});
      socket.on('data', () => {
        seen += 1;
        count += 1;
        if (count > 1) return void socket.destroy();
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    }),
  );
  for (let count = 0; count < 5; count++) expect(await textOf(await get(url))).toBe('ok');
  expect(seen).toBe(9);
});

test('does not send a request again when a fresh connection is reset, or once an answer has begun', async () => {
  let seen = 0;
  const fresh = await listen(
    createTcpServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', () => {
          seen += 1;
          socket.resetAndDestroy();
        });
    }),
  );
  expect(await codeOf(get(fresh))).toBe('ECONNRESET');
  expect(seen).toBe(1);
  let answers = 0;
  const cut = await serve((_, response) => {
    answers += 1;
    if (answers === 1) return void response.end('ok');
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.socket?.resetAndDestroy());
  });
  expect(await textOf(await get(cut))).toBe('ok');
  expect(await codeOf(get(cut).then(textOf))).toBe('ECONNRESET');
  expect(answers).toBe(2);
});

test('rejects with the code of the system when nobody listens', async () => {
  const url = await serve(() => {});
  await new Promise((resolve) => servers.pop()!.close(resolve));
  expect(await codeOf(get(url))).toBe('ECONNREFUSED');
});

test.each([
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['br', brotliCompressSync],
])('decompresses a body in %s', async (coding, compress) => {
  const url = await serve((request, response) => {
    expect(request.headers['accept-encoding']).toBe('gzip, br');
    response.writeHead(200, { 'content-encoding': coding }).end(compress('x'.repeat(100_000)));
  });
  expect(await textOf(await get(url))).toBe('x'.repeat(100_000));
});

test.each(['constructor', '__proto__', 'deflate', ', gzip'])(
  'passes a body in the unknown coding "%s" on as it is',
  async (coding) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(deflateSync('text'));
    });
    expect(await textOf(await get(url))).toBe(deflateSync('text').toString());
  },
);

test.each([
  ['ends early', gzipSync('x'.repeat(1_000)).subarray(0, 20)],
  ['is damaged', Buffer.from('1f8b080000000000000300ff', 'hex')],
  ['is no gzip', Buffer.from('<html>')],
])('rejects while reading a compressed body that %s', async (_, bytes) => {
  const url = await serve((__, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
  });
  expect(await codeOf(get(url).then(textOf))).toMatch(/^Z_/);
});

test('gives a compressed stream event by event, until it is aborted', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' });
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    gzip.on('error', () => {}).pipe(response);
    gzip.write('one');
  });
  const controller = new AbortController();
  const { body } = await get(url, controller.signal);
  const chunks = body[Symbol.asyncIterator]();
  expect(String((await chunks.next()).value)).toBe('one');
  controller.abort();
  expect(await codeOf(chunks.next())).toBe('ECONNRESET');
});

test('follows no redirect', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  const { status, headers } = await get(url);
  expect([status, headers.get('location')]).toEqual([302, '/elsewhere']);
});

test.each([
  ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'],
  ['something other than HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a head without end', `HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(10_000)}`],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk'],
])('rejects when the server answers with %s', async (_, bytes) => {
  expect(await codeOf(get(await serveBytes(bytes)))).not.toBe('none');
});

test('an answer that unpacks to gigabytes counts as too large, and costs no more memory than its limit', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * MIB));
  const bombs = Array.from({ length: 16 }, () => bomb);
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    for (const each of bombs) response.write(each);
    response.end();
  });
  const before = process.memoryUsage.rss();
  const reply = await createUpstream({ baseUrl, apiKey: 'k', clock: systemClock }).fetchRuleset(
    'server',
    null,
  );
  expect(reply).toMatchObject({ status: 0, code: 'TOO_LARGE' });
  expect(process.memoryUsage.rss() - before).toBeLessThan(150 * MIB);
});
