/** Clients that never finish their bodies, over real sockets, against a process with little memory. */
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type SmallProcess, startSmallProcess } from './small-process.ts';

const MIB = 2 ** 20;
const EVENTS = '/api/v1/sdk/events';
const LOGIN = '/api/v1/auth/login';

let server: SmallProcess;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
});

/** Sends a body without its last byte. Resolves to the first line of the answer when the server closes the connection. */
function sendHalf(path: string, length: number, apiKey = ''): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  const key = apiKey === '' ? '' : `X-API-Key: ${apiKey}\r\n`;
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${key}Content-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${length}\r\n\r\n`);
  socket.write(Buffer.alloc(length - 1, ' '));
  let answer = '';
  socket.setEncoding('utf8').on('data', (part) => {
    answer += part;
  });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.on('close', () => resolve(answer.split('\r\n', 1)[0]!));
  });
}

function evaluate(kind: 'server' | 'client') {
  return server.post({
    path: '/api/v1/evaluate',
    headers: { 'content-type': 'application/json', 'x-api-key': server.keys[kind] },
    body: Buffer.from('{"flags":["dark-mode"],"context":{"user_key":"u"}}'),
  });
}

interface Attack {
  readonly source: string;
  readonly path: string;
  readonly key?: 'client' | 'server';
  readonly senders: number;
  readonly bytes: number;
  readonly statuses: readonly number[];
  /** The most that resident memory may grow, uncollected garbage included. */
  readonly mebibytes: number;
}

test.each<Attack>([
  {
    source: 'from a page',
    path: EVENTS,
    key: 'client',
    senders: 1_500,
    bytes: 60_000,
    statuses: [408, 503],
    mebibytes: 128,
  },
  {
    source: 'above the size limit',
    path: EVENTS,
    key: 'client',
    senders: 100,
    bytes: MIB,
    statuses: [413],
    mebibytes: 128,
  },
  {
    source: 'from anybody',
    path: LOGIN,
    senders: 1_500,
    bytes: 60_000,
    statuses: [408, 503],
    mebibytes: 128,
  },
  {
    source: 'from a back end',
    path: EVENTS,
    key: 'server',
    senders: 1_000,
    bytes: 300_000,
    statuses: [408, 503],
    mebibytes: 256,
  },
])(
  'memory stays bounded with $senders unfinished bodies $source, and other requests are answered',
  { timeout: 120_000 },
  async ({ path, key, senders, bytes, statuses, mebibytes }) => {
    server = await startSmallProcess({ arriveMs: 3_000 });
    const apiKey = key === undefined ? '' : server.keys[key];
    for (let i = 0; i < 50; i++) await evaluate('client');
    const before = await server.usage(true);
    const seen = new Set<number>();
    let left = senders;
    for (let sent = 0; sent < senders; sent++) {
      sendHalf(path, bytes, apiKey).then((line) => {
        left -= 1;
        // The answer is lost if the connection closes while the client still sends.
        if (line !== '') seen.add(Number(line.split(' ')[1]));
      });
    }
    let highest = 0;
    while (left > 0) {
      for (const kind of ['server', 'client'] as const) expect((await evaluate(kind)).status).toBe(200);
      highest = Math.max(highest, (await server.usage()).residentBytes);
    }
    expect((highest - before.residentBytes) / MIB).toBeLessThan(mebibytes);
    expect([...seen].sort()).toEqual(statuses);
  },
);
