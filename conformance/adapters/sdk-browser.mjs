/**
 * Opens a page with sdk-browser in Chromium; the page connects to the kit:
 *
 *     flagsvc-conformance run --ws 0 --suite sdk --adapter "node conformance/adapters/sdk-browser.mjs"
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import packed from '@sparticuz/chromium';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { versionOf } from './lib/version.mjs';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('sdk-browser-page.mjs', import.meta.url))],
  bundle: true,
  write: false,
  format: 'iife',
  conditions: process.execArgv.includes('--conditions=@flagsvc/source') ? ['@flagsvc/source'] : [],
});
// `</script` would end the script element that contains this text.
const script = outputFiles[0].text.replaceAll('</script', '<\\/script');
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><title>sdk-browser</title><script>${script}</script>`);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const browser = await chromium.launch({
  executablePath: await packed.executablePath(),
  // No flag turns off web security. The last two flags let the page measure its heap.
  args: [
    ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    ...['--js-flags=--expose-gc', '--enable-precise-memory-info'],
  ],
  headless: true,
});
const stop = async () => {
  await browser.close();
  process.exit(0);
};
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);
const page = await browser.newPage();
page.on('console', (message) => console.error(message.text()));
page.on('pageerror', (error) => console.error(error));
const address = new URL(`http://127.0.0.1:${server.address().port}/`);
address.searchParams.set('adapter', process.env.FLAGSVC_ADAPTER_URL);
address.searchParams.set('version', versionOf('@flagsvc/sdk-browser'));
address.searchParams.set('browser', `chromium ${browser.version()}`);
await page.goto(address.href);
