/**
 * Hides a page in Firefox by opening another tab in front of it. Headless Chromium never hides a page, so its test can
 * only simulate hiding one.
 */
import type { BrowserClient } from '@flagsvc/sdk-browser';
import { type OpenFirefox, withFirefox } from '../../conformance/runtimes/engines/firefox.ts';
import { startApi } from './browser/api.ts';
import { bundle } from './browser/bundle.ts';
import { servePages, until } from './browser/pages.ts';

const POLL_MS = 600;

declare global {
  var flagsvc: typeof import('./browser/page-sdk.ts');
  var client: BrowserClient;
  /** The requests of the page, each with the page's visibility at that moment. */
  var sent: string[];
  var shown: string[];
}

/** Runs in the page. */
const openClient = (apiKey: string, baseUrl: string, pollIntervalMs: number) => {
  globalThis.sent = [];
  globalThis.shown = [];
  document.addEventListener('visibilitychange', ({ isTrusted }) =>
    globalThis.shown.push(`${document.visibilityState}${isTrusted ? '' : ', pretended'}`),
  );
  globalThis.client = globalThis.flagsvc.createBrowserClient({
    apiKey,
    baseUrl,
    pollIntervalMs,
    context: { user_key: 'u1' },
    mode: globalThis.flagsvc.localMode(),
    fetch(url, init) {
      globalThis.sent.push(`${String(url).slice(baseUrl.length)} while ${document.visibilityState}`);
      return fetch(url, init);
    },
  });
};

const follow = async ({ tab, ask }: OpenFirefox): Promise<string[]> => {
  const pages = await servePages(await bundle('./page-sdk.ts'));
  const api = await startApi(pages.origin);
  const wrong: string[] = [];
  const demand = (isTrue: boolean, promise: string) => {
    console.log(`  ${isTrue ? 'yes' : 'NO '}  ${promise}`);
    if (!isTrue) wrong.push(promise);
  };
  const run = async (expression: string): Promise<string> =>
    (await ask('script.evaluate', { expression, awaitPromise: true, target: { context: tab } })).result!
      .value;
  const read = async (name: string): Promise<string[]> => JSON.parse(await run(`JSON.stringify(${name})`));
  const holds = (isTrue: () => Promise<boolean>) =>
    until(isTrue).then(
      () => true,
      () => false,
    );
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  try {
    pages.allow(api.baseUrl);
    await api.createFlag('greeting', 'hello');
    await ask('browsingContext.navigate', { context: tab, url: `${pages.origin}/page`, wait: 'complete' });
    const given = [api.clientKey, api.baseUrl, POLL_MS].map((value) => JSON.stringify(value));
    await run(`(${openClient})(${given}); ''`);
    await run('client.ready()');
    await run('client.flag("greeting", "")');
    await until(async () => (await read('sent')).length > 2);

    const other = (await ask('browsingContext.create', { type: 'tab' })).context!;
    demand(await holds(async () => (await read('shown')).includes('hidden')), 'another tab hides the page');
    await until(async () => (await read('sent')).some((one) => one.startsWith('/sdk/events')));
    demand(true, 'recorded events are sent when the page becomes hidden');
    const before = (await read('sent')).length;
    await wait(4 * POLL_MS);
    demand((await read('sent')).length === before, 'a hidden page sends nothing');

    await ask('browsingContext.activate', { context: tab });
    demand(
      await holds(async () => (await read('sent')).length > before),
      'the page fetches when it is shown again',
    );
    await wait(POLL_MS / 3);
    demand((await read('sent')).length === before + 1, 'it fetches only once');
    demand((await read('shown')).join() === 'hidden,visible', 'the browser itself hid and showed the page');
    await ask('browsingContext.close', { context: other });
  } finally {
    await Promise.all([api.close(), pages.close()]);
  }
  return wrong;
};

const wrong = await withFirefox(async (browser) => {
  console.log(`Firefox ${browser.version}, a page that is really hidden:`);
  return follow(browser);
});
if (wrong?.length) process.exitCode = 1;
