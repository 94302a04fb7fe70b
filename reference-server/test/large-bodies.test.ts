import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from './server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

/** Sends two requests before it reads anything, like a simple client. Returns all that the server answers. */
async function writeThenRead(path: string, body: Buffer, headers: readonly string[]): Promise<string> {
  const socket = connect((server.app.server.address() as AddressInfo).port, '127.0.0.1');
  const head = (line: string, length: number) =>
    `${line} HTTP/1.1\r\nHost: a\r\n${headers.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`;
  socket.pause();
  socket.write(head(`POST ${path}`, body.length));
  for (let at = 0; at < body.length; at += 65_536) {
    if (!socket.write(body.subarray(at, at + 65_536))) await once(socket, 'drain');
  }
  socket.write(head('GET /health', 0));
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.includes('"status"')) socket.end();
  });
  socket.resume();
  await once(socket, 'close');
  return text;
}

test.each([
  ['/api/v1/projects', 1],
  ['/api/v1/projects/x/imports', 10],
])(
  'names the limit in the refusal of a large body for %s, even if the client sends the whole body before it reads',
  async (path, mebibytes) => {
    const headers = [`Authorization: Bearer ${server.tokens.admin}`, 'Content-Type: application/json'];
    const text = await writeThenRead(path, Buffer.alloc(mebibytes * 5 * 1024 ** 2, 'x'), headers);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain(`"The body is too large: the maximum is ${mebibytes} MiB."`);
    expect(text).toContain(`"maximum":${mebibytes * 1024 ** 2}`);
  },
);
