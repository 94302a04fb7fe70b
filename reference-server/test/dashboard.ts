import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { freePort } from '../../scripts/free-port.ts';
import { createDashboardServer } from '../src/dashboard/dashboard-server.ts';
import { createPageRequests } from '../src/http/page-requests.ts';
import { PASSWORD, startEmptyServer } from './server.ts';

export const SCRIPT = 'export const answer = 42;\n'.repeat(20);

/** A small built dashboard in a temporary folder. */
function writeFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-dashboard-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>',
  );
  const script = join(folder, 'assets', 'main-1a2b3c.js');
  writeFileSync(script, SCRIPT);
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT));
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT));
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, '.secret'), 'hidden');
  return folder;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: { data?: Record<string, unknown>; error?: { code: string; message: string } };
}

export interface PageCall {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
}

type Options = NonNullable<Parameters<typeof startEmptyServer>[0]> & {
  /** Address for browsers; default `http://localhost` with the port. */
  readonly url?: string;
  /** False serves no built files. */
  readonly isBuilt?: boolean;
};

/** An empty server with the dashboard on a real port. */
export async function startDashboard({ url, isBuilt = true, ...options }: Options = {}) {
  const pages = createPageRequests();
  const server = await startEmptyServer({ ...options, pageRequests: pages });
  const files = writeFiles();
  const port = await freePort();
  const origin = new URL(url ?? `http://localhost:${port}`).origin;
  const dashboard = createDashboardServer({
    app: server.app,
    pages,
    url: origin,
    findFiles: () => (isBuilt ? files : undefined),
  });
  dashboard.listen(port, '127.0.0.1');
  await once(dashboard, 'listening');

  /** Sends a request exactly as given; `fetch` would not allow every header. */
  const send = ({ method = 'GET', path, headers, body }: PageCall): Promise<PageAnswer> =>
    new Promise((resolve, reject) => {
      const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const request = httpRequest({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: {
          host: new URL(origin).host,
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...(headers as Record<string, string | string[]>),
        },
      });
      request.on('response', async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString();
        const json = (text.startsWith('{') ? JSON.parse(text) : {}) as PageAnswer['json'];
        resolve({ status: response.statusCode!, headers: response.headers, text, json });
      });
      request.on('error', reject);
      request.end(payload);
    });
  /** Sends a request as a script of the dashboard's own page does. */
  const fromPage = (path: string, body?: unknown, headers: PageCall['headers'] = {}): Promise<PageAnswer> =>
    send({
      method: 'POST',
      path,
      body,
      headers: {
        origin,
        'sec-fetch-site': 'same-origin',
        'x-requested-with': 'flagsvc-dashboard',
        ...headers,
      },
    });

  return {
    ...server,
    origin,
    port,
    dashboard,
    send,
    fromPage,
    /** Removes the built files, as the next build does. */
    removeFiles: () => rmSync(files, { recursive: true }),
    /** Registers a person if necessary, logs in, and returns the cookie as the browser would send it. */
    async logIn(email = 'ada@example.com') {
      await fromPage('/auth/register', { email, password: PASSWORD });
      const answer = await fromPage('/auth/login', { email, password: PASSWORD });
      const setCookie = answer.headers['set-cookie']?.[0] ?? '';
      return { answer, setCookie, cookie: setCookie.split(';')[0]! };
    },
    async close() {
      dashboard.close();
      dashboard.closeAllConnections();
      await server.close();
      rmSync(files, { recursive: true, force: true });
    },
  };
}

export type TestDashboard = Awaited<ReturnType<typeof startDashboard>>;
