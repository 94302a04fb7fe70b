/**
 * The globals of React Native that the SDK uses, over those of the engine's command line. Abort controllers come from the
 * package that React Native itself uses.
 */
import { AbortController, AbortSignal } from 'abort-controller';

declare const print: (text: string) => void;

/** Like React Native's, it knows the size of texts only. */
function SimpleBlob(this: { size: number }, parts: readonly string[]) {
  this.size = unescape(encodeURIComponent(parts.join(''))).length;
}

const globals = {
  AbortController,
  AbortSignal,
  Blob: SimpleBlob,
  performance: { now: () => Date.now() },
  console: { assert() {}, warn: (text: string) => print(`warn ${text}`), log: print },
};
for (const name of Object.keys(globals) as (keyof typeof globals)[])
  if (typeof (globalThis as Record<string, unknown>)[name] === 'undefined')
    Object.defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });

/**
 * Timers on a virtual clock, because those of the engine's command line ignore their delay. As in React Native,
 * `clearTimeout` ignores what is no timer.
 */
const nextTask = globalThis.setTimeout as (work: () => void) => unknown;
const timers = new Map<number, { readonly at: number; readonly work: () => void }>();
let now = 1_700_000_000_000;
let ids = 0;
const runNext = () => {
  const [first] = [...timers].sort(([, a], [, b]) => a.at - b.at);
  if (!first) return;
  const [id, { at, work }] = first;
  timers.delete(id);
  now = Math.max(now, at);
  work();
};
Date.now = () => now;
Object.assign(globalThis, {
  setTimeout(work: () => void, delayMs = 0) {
    timers.set(++ids, { at: now + delayMs, work });
    nextTask(runNext);
    return ids;
  },
  clearTimeout: (id: unknown) => void timers.delete(id as number),
});
