/** What only a process of its own shows about the relay's requests to the server. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../../reference-server/test/localhost-certificate.ts';

const sourceOf = (name: string): string => new URL(`../src/${name}`, import.meta.url).href;
const servers: Server[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flagsvc-relay-'));
  await writeFile(join(folder, 'authority.pem'), LOCALHOST_CERTIFICATE);
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => rm(folder, { recursive: true }));

/** What a module prints that runs in a process with these variables. */
const run = async (module: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const args = ['--conditions=@flagsvc/source', '--input-type=module', '--eval', module];
  return (
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })
  ).stdout.trim();
};
const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return (server.address() as AddressInfo).port;
};
const requestTo = (url: string): string => `
  import { requestHttp } from '${sourceOf('upstream/http-request.ts')}';
  const request = { method: 'GET', headers: {}, signal: AbortSignal.timeout(20_000) };
  console.log(await requestHttp('${url}', request).then(({ status }) => status, ({ cause }) => cause.code));
  process.exit();`;

test('the program of the relay loads no fetch, which takes 17 MB', async () => {
  const loaded = await run(`
    await import('${sourceOf('process/serve.ts')}');
    console.log(process.moduleLoadList.filter((name) => name.includes('undici')).length);`);
  expect(loaded).toBe('0');
});

test('NODE_EXTRA_CA_CERTS names the authority of a server with TLS', async () => {
  const server = createHttpsServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, (_, response) => {
    response.writeHead(204).end();
  });
  const url = `https://localhost:${await listen(server)}`;
  expect(await run(requestTo(url))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(await run(requestTo(url), { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') })).toBe('204');
});

test('HTTPS_PROXY names a proxy with NODE_USE_ENV_PROXY', async () => {
  const server = createHttpsServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, (_, response) => {
    response.writeHead(204).end();
  });
  const port = await listen(server);
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url);
    const there = connect(port, 'localhost', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    socket.on('error', () => there.destroy());
    there.on('error', () => socket.destroy());
  });
  const status = await run(requestTo(`https://localhost:${port}`), {
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: `http://localhost:${await listen(proxy)}`,
    NO_PROXY: '',
  });
  expect([status, asked]).toEqual(['204', [`localhost:${port}`]]);
});
