import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { HOOKS_CERTIFICATE, HOOKS_KEY } from '../../test/hooks-certificate.ts';
import { createOutbound, type OutboundOptions } from './outbound.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy that records its requests and connects every tunnel to this machine. */
async function startProxy(answer: (target: string) => number | undefined = () => 200) {
  const targets: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(500).end('expected CONNECT'));
  server.on('connect', (request, socket: Socket) => {
    const target = request.url!;
    targets.push(target);
    headers.push(request.headers);
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    const status = answer(target);
    // The `end` event comes only if the socket is read.
    if (status === undefined) return void socket.resume().on('end', () => socket.end());
    socket.write(`HTTP/1.1 ${status} X\r\n\r\n`);
    if (status !== 200) return void socket.end();
    const onward = connect(Number(target.split(':').at(-1)), '127.0.0.1');
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port: await portOf(server), targets, headers, sockets };
}

async function startReceiver(secured = false) {
  const seen: string[] = [];
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers.host} ${body}`);
      response.writeHead(202).end('received');
    });
  };
  const certificate = { key: HOOKS_KEY, cert: HOOKS_CERTIFICATE };
  return {
    port: await portOf(secured ? createTlsServer(certificate, listener) : createServer(listener)),
    seen,
  };
}

const post = (url: string) =>
  ({ url, method: 'POST', headers: { 'x-a': 'b' }, body: Buffer.from('{"a":1}') }) as const;
const PUBLIC = '93.184.215.14';
const through = (proxy: string, port: number, more: Partial<OutboundOptions> = {}) =>
  createOutbound({
    proxy,
    allowHttp: true,
    ranges: [],
    ports: [port],
    resolve: async () => [{ address: PUBLIC, family: 4 }],
    ...more,
  });

test('opens a tunnel to the checked address, and sends the name as Host', async () => {
  const receiver = await startReceiver();
  const proxy = await startProxy();
  const outbound = through(`http://me:p%40ss@127.0.0.1:${proxy.port}`, receiver.port);
  const reply = await outbound.send(post(`http://hooks.example:${receiver.port}/a?b=1`));
  expect(reply).toMatchObject({ ok: true, status: 202 });
  expect(reply.ok && Buffer.from(reply.body).toString()).toBe('received');
  expect(proxy.targets).toEqual([`${PUBLIC}:${receiver.port}`]);
  const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(proxy.headers).toMatchObject([
    { host: `${PUBLIC}:${receiver.port}`, 'proxy-authorization': authorization },
  ]);
  expect(receiver.seen).toEqual([`POST /a?b=1 hooks.example:${receiver.port} {"a":1}`]);
});

test('checks the certificate for the name of the receiver, not of the proxy', async () => {
  const receiver = await startReceiver(true);
  const proxy = await startProxy();
  const outbound = through(`http://127.0.0.1:${proxy.port}`, receiver.port);
  const send = (host: string) => outbound.send(post(`https://${host}:${receiver.port}/`));
  expect(await send('hooks.example')).toMatchObject({ ok: false, detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, HOOKS_CERTIFICATE]);
  closers.push(() => setDefaultCACertificates(known));
  expect(await send('hooks.example')).toMatchObject({ ok: true, status: 202 });
  expect(await send('other.example')).toMatchObject({ ok: false, detail: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  expect(receiver.seen).toHaveLength(1);
});

test('opens no tunnel to an address that is not allowed', async () => {
  const proxy = await startProxy();
  for (const address of ['127.0.0.1', '10.0.0.1', '::ffff:169.254.169.254']) {
    const resolve = async () => [
      { address: PUBLIC, family: 4 },
      { address, family: 4 },
    ];
    const outbound = through(`http://127.0.0.1:${proxy.port}`, 8443, { resolve });
    const reply = await outbound.send(post('https://hooks.example:8443/'));
    expect(reply).toMatchObject({ ok: false, fault: 'dns_failed' });
    const literal = await outbound.send(post(`https://${address.includes(':') ? `[${address}]` : address}/`));
    expect(literal).toMatchObject({ ok: false, fault: 'url_not_allowed' });
  }
  expect(proxy.targets).toEqual([]);
});

test('tries the next address when the proxy cannot reach one, and reveals nothing about the proxy', async () => {
  const receiver = await startReceiver();
  const proxy = await startProxy((target) => (target.startsWith('[2606:') ? 502 : 200));
  const six = { address: '2606:4700::1111', family: 6 };
  const outbound = (resolve: NonNullable<OutboundOptions['resolve']>) =>
    through(`http://127.0.0.1:${proxy.port}`, receiver.port, { resolve });
  const url = `http://hooks.example:${receiver.port}/`;
  const both = await outbound(async () => [six, { address: PUBLIC, family: 4 }]).send(post(url));
  expect(both).toMatchObject({ ok: true, status: 202 });
  expect(proxy.targets).toEqual([`[2606:4700::1111]:${receiver.port}`, `${PUBLIC}:${receiver.port}`]);
  const none = await outbound(async () => [six]).send(post(url));
  expect(none).toEqual({ ok: false, fault: 'unreachable', detail: 'the proxy answers 502' });
});

test('does not wait for a proxy beyond the timeouts, and leaves no connection open', async () => {
  const silent = await startProxy(() => undefined);
  const more = { connectTimeoutMs: 100 };
  const waiting = through(`http://127.0.0.1:${silent.port}`, 8443, more);
  expect(await waiting.send(post('https://hooks.example:8443/'))).toMatchObject({ fault: 'timed_out' });
  await expect.poll(() => silent.sockets.size).toBe(0);
  // The tunnel opens, but the server at its end never answers the TLS handshake.
  const mute = await portOf(createTcpServer((socket) => void socket.resume().on('error', () => {})));
  const open = await startProxy();
  const hanging = through(`http://127.0.0.1:${open.port}`, mute, { ...more, totalTimeoutMs: 300 });
  const late = await hanging.send(post(`https://hooks.example:${mute}/`));
  expect(late).toMatchObject({ ok: false, fault: 'timed_out' });
  await expect.poll(() => open.sockets.size).toBe(0);
  const nobody = through('http://127.0.0.1:1', 8443, more);
  expect(await nobody.send(post('https://hooks.example:8443/'))).toMatchObject({ fault: 'unreachable' });
});
