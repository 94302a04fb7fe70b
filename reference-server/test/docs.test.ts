import packed from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { startServer } from './server.ts';

// The browser that npm brings is built for Linux only.
test.runIf(process.platform === 'linux')(
  'shows the documentation in a browser, authorizes and tries a call, and asks nobody else for anything',
  { timeout: 60_000 },
  async () => {
    const server = await startServer();
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const args = packed.args.filter((argument) => !argument.includes('disable-web-security'));
    const browser = await chromium.launch({
      executablePath: await packed.executablePath(),
      args,
      headless: true,
    });
    try {
      const page = await browser.newPage();
      const elsewhere: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url))
          elsewhere.push(request.url());
      });
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${url}/docs#tag/authentication/GET/api/v1/auth/me`);
      await page.getByRole('button', { name: 'get /api/v1/auth/me' }).click();
      await page.getByText('Authentication', { exact: true }).last().click();
      await page.getByPlaceholder('Token').fill(server.tokens.editor);
      const answer = page.waitForResponse(`${url}/api/v1/auth/me`);
      await page.getByRole('button', { name: /^Send/ }).first().click();
      const { data } = (await (await answer).json()) as { data: { email: string } };
      expect(data.email).toBe('editor@example.com');
      expect(elsewhere).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
    }
  },
);
