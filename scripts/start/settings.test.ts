import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { readSettings } from './settings.ts';
import { serveExamplePage } from './steps/example-page.ts';

test('the example page gets a port of its own', async () => {
  const port = await freePort();
  const env = { FLAGSVC_PORT: `${port}`, FLAGSVC_DASHBOARD_PORT: `${port + 1}` };
  expect((await readSettings(env)).pagePort).not.toBe(port + 1);
});

test('the example page leaves a taken port alone', async () => {
  const taken = createServer();
  const page = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
  });
  const { pagePort } = await readSettings({ FLAGSVC_PORT: `${page - 1}`, FLAGSVC_DASHBOARD_PORT: 'off' });
  expect(pagePort).not.toBe(page);
  await new Promise((resolve) => taken.close(resolve));
});

test('without a port for the example page, the demo goes on', async () => {
  const port = await freePort();
  const settings = await readSettings({ FLAGSVC_PORT: `${port}`, FLAGSVC_DASHBOARD_PORT: 'off' });
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(settings.pagePort, '127.0.0.1', resolve));
  const demo = { email: 'ada@example.com', refreshToken: '', apiKeys: {}, clientKey: 'sdk-dev-client' };
  expect(await serveExamplePage(settings, demo, { remedy: '', folder: '.' })).toBeUndefined();
  await new Promise((resolve) => taken.close(resolve));
});
