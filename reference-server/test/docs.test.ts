import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import packed from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { startServer } from './server.ts';

/** A proxy that serves another server below a path prefix. */
async function startProxy(prefix: string, target: string): Promise<{ url: string; close: () => void }> {
  const proxy = createServer(({ method, headers, url = '' }, response) => {
    if (!url.startsWith(`${prefix}/`)) return void response.writeHead(404).end();
    const forwarded = request(`${target}${url.slice(prefix.length)}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${prefix}`, close: () => proxy.close().closeAllConnections() };
}

// The browser from npm is built for Linux only.
test.runIf(process.platform === 'linux').each([
  ['at the root', ''],
  ['below a path prefix that a proxy removes', '/flags'],
])(
  'shows the documentation in a browser %s, sends a call with a token, and loads nothing from other hosts (Linux only)',
  { timeout: 60_000 },
  async (_, prefix) => {
    const server = await startServer();
    const own = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const proxy = await startProxy(prefix, own);
    const url = proxy.url;
    const args = packed.args.filter((argument) => !argument.includes('disable-web-security'));
    const browser = await chromium.launch({
      executablePath: await packed.executablePath(),
      args,
      headless: true,
    });
    try {
      const page = await browser.newPage();
      const otherHosts: string[] = [];
      const errors: string[] = [];
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url))
          otherHosts.push(request.url());
      });
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`${url}/docs#tag/authentication/GET/api/v1/auth/me`);
      await page.getByRole('button', { name: 'get /api/v1/auth/me' }).click();
      await page.getByText('Authentication', { exact: true }).last().click();
      await page.getByPlaceholder('Token').fill(server.tokens.editor);
      const answer = page.waitForResponse(`${url}/api/v1/auth/me`);
      await page.getByRole('button', { name: /^Send/ }).first().click();
      const { data } = (await (await answer).json()) as { data: { email: string } };
      expect(data.email).toBe('editor@example.com');
      expect(otherHosts).toEqual([]);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      proxy.close();
      await server.close();
    }
  },
);
