import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startNameServer } from '../../test/name-server.ts';
import { createOutbound, type OutboundOptions } from './outbound.ts';
import { createNameLookup } from './resolve-names.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(listener: RequestListener): Promise<{ port: number; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, server };
}

const strict: OutboundOptions = { allowHttp: false, ranges: [], ports: [] };
const post = (url: string) =>
  ({ url, method: 'POST', headers: { 'x-a': 'b' }, body: Buffer.from('{"a":1}') }) as const;
const lenient = (port: number, more: Partial<OutboundOptions> = {}) =>
  createOutbound({ allowHttp: true, ranges: ['127.0.0.0/8'], ports: [port], ...more });

test.each([
  ['http://example.com/', 'must begin with https://'],
  ['ftp://example.com/', 'must begin with https://'],
  ['file:///etc/passwd', 'must begin with https://'],
  ['https://user:pw@example.com/', 'must not contain credentials'],
  ['https://example.com:8443/', 'names port 8443, which is not allowed'],
  ['not a url', 'is not a URL'],
  ['https://127.0.0.1/', 'names an address that is not public'],
  ['https://2130706433/', 'names an address that is not public'],
  ['https://0x7f.1/', 'names an address that is not public'],
  ['https://0/', 'names an address that is not public'],
  ['https://10.1.2.3/', 'names an address that is not public'],
  ['https://172.16.0.1/', 'names an address that is not public'],
  ['https://192.168.1.1/', 'names an address that is not public'],
  ['https://169.254.169.254/latest/meta-data/', 'names an address that is not public'],
  ['https://100.64.0.1/', 'names an address that is not public'],
  ['https://224.0.0.1/', 'names an address that is not public'],
  ['https://255.255.255.255/', 'names an address that is not public'],
  ['https://[::1]/', 'names an address that is not public'],
  ['https://[::]/', 'names an address that is not public'],
  ['https://[::ffff:127.0.0.1]/', 'names an address that is not public'],
  ['https://[::ffff:7f00:1]/', 'names an address that is not public'],
  ['https://[64:ff9b::7f00:1]/', 'names an address that is not public'],
  ['https://[2002:7f00:1::]/', 'names an address that is not public'],
  ['https://[2001::1]/', 'names an address that is not public'],
  ['https://[fc00::1]/', 'names an address that is not public'],
  ['https://[fe80::1]/', 'names an address that is not public'],
  ['https://[ff02::1]/', 'names an address that is not public'],
  ['https://[::10.0.0.1]/', 'names an address that is not public'],
  ['https://[100:0:0:1::1]/', 'names an address that is not public'],
  ['https://[4000::1]/', 'names an address that is not public'],
])('refuses %s without calling it', async (url, why) => {
  const outbound = createOutbound(strict);
  expect(outbound.faultOf(url)).toBe(why);
  expect(await outbound.send(post(url))).toMatchObject({ ok: false, fault: 'url_not_allowed' });
});

test.each([
  'https://example.com/hook?a=1',
  'https://1.1.1.1/',
  'https://[2606:4700::1111]/',
  'https://bücher.example/',
])('accepts %s', (url) => {
  expect(createOutbound(strict).faultOf(url)).toBeUndefined();
});

test('does not connect when one of the addresses of a name is private', async () => {
  let calls = 0;
  const { port } = await listen((_request, response) => {
    calls += 1;
    response.end();
  });
  for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1'], []]) {
    const outbound = createOutbound({
      allowHttp: true,
      ranges: [],
      ports: [port],
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });
    const reply = await outbound.send(post(`http://rebinding.example:${port}/`));
    expect(reply).toMatchObject({ ok: false, fault: 'dns_failed' });
  }
  expect(calls).toBe(0);
});

test('resolves a name once, and connects to the address that it has checked', async () => {
  const seen: (string | undefined)[] = [];
  const { port } = await listen((request, response) => {
    seen.push(request.headers.host);
    response.end('ok');
  });
  let lookups = 0;
  const outbound = lenient(port, {
    // A rebinding name resolves to another address the second time.
    resolve: async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }],
  });
  expect(await outbound.send(post(`http://hooks.example:${port}/`))).toMatchObject({ ok: true, status: 200 });
  expect([lookups, seen]).toEqual([1, [`hooks.example:${port}`]]);
});

test('sends the bytes as they are, and follows no redirect', async () => {
  let body = '';
  const { port } = await listen((request, response) => {
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () =>
      response.writeHead(302, { location: `http://127.0.0.1:${port}/other` }).end('moved'),
    );
  });
  const reply = await lenient(port).send(post(`http://127.0.0.1:${port}/hook`));
  expect(reply).toMatchObject({ ok: true, status: 302 });
  expect(body).toBe('{"a":1}');
  expect(reply.ok && Buffer.from(reply.body).toString()).toBe('moved');
});

test('reads at most 16 KiB of an answer', async () => {
  let written = 0;
  const { port } = await listen((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
    };
    response.on('drain', more);
    more();
  });
  const reply = await lenient(port).send(post(`http://127.0.0.1:${port}/`));
  expect(reply.ok && reply.body.byteLength).toBe(16 * 1024);
  expect(written).toBeLessThan(8 * 2 ** 20);
});

test('waits neither for headers nor for a body beyond the total timeout', async () => {
  const { port } = await listen((request, response) => {
    if (request.url === '/head') return;
    response.writeHead(200);
    response.write('x');
    if (request.url === '/drip') setInterval(() => response.write('x'), 20).unref();
  });
  const outbound = lenient(port, { totalTimeoutMs: 150 });
  const started = performance.now();
  expect(await outbound.send(post(`http://127.0.0.1:${port}/head`))).toMatchObject({ fault: 'timed_out' });
  // The status has arrived, so the request counts as a success.
  expect(await outbound.send(post(`http://127.0.0.1:${port}/drip`))).toMatchObject({ ok: true, status: 200 });
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('does not wait for a connection beyond the connect timeout', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = silent.address() as AddressInfo;
  // The TLS handshake gets no answer, so the connection is never established.
  const tls = createOutbound({
    ports: [port],
    ranges: ['127.0.0.1'],
    allowHttp: true,
    connectTimeoutMs: 100,
  });
  expect(await tls.send(post(`https://127.0.0.1:${port}/`))).toMatchObject({ fault: 'timed_out' });
});

test('reaches a host while a hundred other names are not resolved, and reports those as DNS failures', async () => {
  const { port } = await listen((_request, response) => void response.end('ok'));
  const names = await startNameServer((name, type) =>
    name === 'healthy.example' ? { addresses: type === 'A' ? ['127.0.0.1'] : [] } : undefined,
  );
  closers.push(names.close);
  const outbound = lenient(port, {
    connectTimeoutMs: 3_000,
    resolve: createNameLookup({ servers: [names.address], searchFile: '/nowhere' }),
  });
  let ended = 0;
  const silent = Array.from({ length: 100 }, (_, index) =>
    outbound.send(post(`http://silent-${index}.example:${port}/`)).finally(() => {
      ended += 1;
    }),
  );
  await expect.poll(() => names.queries.length).toBeGreaterThanOrEqual(200);
  for (const name of ['healthy.example', 'localhost', '127.0.0.1']) {
    expect(await outbound.send(post(`http://${name}:${port}/`))).toMatchObject({ ok: true, status: 200 });
  }
  expect(ended).toBe(0);
  expect(await Promise.all(silent)).toEqual(
    silent.map((_, index) => ({
      ok: false,
      fault: 'dns_failed',
      detail: `silent-${index}.example: no answer in 3000 ms`,
    })),
  );
});

test('reports an unknown name in the same way as a name with a private address', async () => {
  const { port, server } = await listen(() => {});
  await new Promise((resolve) => server.close(resolve));
  const refused = await lenient(port).send(post(`http://127.0.0.1:${port}/`));
  expect(refused).toMatchObject({ ok: false, fault: 'unreachable' });
  const names = await startNameServer((name, type) =>
    name === 'private.example' ? { addresses: type === 'A' ? ['10.0.0.1'] : [] } : { code: 3 },
  );
  closers.push(names.close);
  const resolve = createNameLookup({ servers: [names.address], searchFile: '/nowhere' });
  for (const name of ['unknown.example', 'private.example']) {
    const reply = await createOutbound({ ...strict, resolve }).send(post(`https://${name}/`));
    expect(reply).toMatchObject({ ok: false, fault: 'dns_failed' });
  }
});
