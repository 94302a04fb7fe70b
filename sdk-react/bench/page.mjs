/** A page for one subject, in a process of its own: `page.mjs <bundle>` prints its row of the table as JSON. */
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html>', { url: 'http://localhost/', pretendToBeVisual: true });
for (const name of [
  'window',
  'document',
  'navigator',
  'localStorage',
  'sessionStorage',
  'Node',
  'HTMLElement',
  'Event',
  'CustomEvent',
  'MutationObserver',
  'AbortController',
  'AbortSignal',
])
  Object.defineProperty(globalThis, name, {
    value: name === 'window' ? window : window[name],
    configurable: true,
    writable: true,
  });
const { run } = await import(process.argv[2]);
process.stdout.write(`\nrow ${JSON.stringify(await run())}\n`);
process.exit(0);
