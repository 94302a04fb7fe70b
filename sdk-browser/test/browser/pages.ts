import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import packed from '@sparticuz/chromium';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** Allows only the listed scripts and requests: no inline script, no eval, and no strings assigned as HTML. */
const policyFor = (api: string) =>
  `default-src 'none'; script-src 'self'; connect-src ${api}; require-trusted-types-for 'script'; trusted-types 'none'`;

/** Serves pages under a strict security policy, each with the SDK as `window.flagsvc`. */
export const servePages = async (sdk: string) => {
  let policy = '';
  const server = createServer((request, response) => {
    if (request.url === '/sdk.js') {
      response.setHeader('content-type', 'text/javascript');
      response.end(sdk);
    } else if (request.url === '/app.js') {
      response.setHeader('content-type', 'text/javascript');
      response.end(`import * as flagsvc from '/sdk.js'; globalThis.flagsvc = flagsvc;`);
    } else {
      response.setHeader('content-type', 'text/html');
      response.setHeader('content-security-policy', policy);
      response.end('<!doctype html><title>page</title><script type="module" src="/app.js"></script>');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow(api: string) {
      policy = policyFor(new URL(api).origin);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Chromium from npm, with web security enabled. */
export const launchChromium = async () =>
  chromium.launch({
    executablePath: await packed.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });

/** A request that the browser sent. */
export interface Sent {
  readonly page: Page;
  readonly method: string;
  readonly path: string;
  status: number | undefined;
}

/** A browser profile, whose pages share storage and locks, and records of its requests and console errors. */
export const watch = (context: BrowserContext, baseUrl: string) => {
  const sent: Sent[] = [];
  const complaints: string[] = [];
  const known = new Map<unknown, Sent>();
  context.on('request', (request) => {
    if (!request.url().startsWith(baseUrl)) return;
    const entry: Sent = {
      page: request.frame().page(),
      method: request.method(),
      path: request.url().slice(baseUrl.length),
      status: undefined,
    };
    known.set(request, entry);
    sent.push(entry);
  });
  context.on('response', (response) => {
    const entry = known.get(response.request());
    if (entry) entry.status = response.status();
  });
  context.on('page', (page) => {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => void complaints.push(String(error)));
  });
  return { sent, complaints, paths: (path: string) => sent.filter((one) => one.path === path) };
};

/** Waits for a condition. */
export const until = async (isTrue: () => boolean | Promise<boolean>, limitMs = 8000) => {
  const end = performance.now() + limitMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not true within ${limitMs} ms: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
