/**
 * Loads sdk-node so that a virtual clock can control it. The SDK captures Node's timers when it is loaded; during that
 * time they are replaced by functions that look up the global timers at each call.
 */
import timers from 'node:timers';

const { clearTimeout, setImmediate, setTimeout } = timers;
timers.setTimeout = (...args) => globalThis.setTimeout(...args);
timers.clearTimeout = (timer) => globalThis.clearTimeout(timer);
// On a virtual clock, callbacks run at once, because `settle` has already let the event loop read all input.
timers.setImmediate = (callback, ...args) =>
  globalThis.setTimeout === setTimeout ? setImmediate(callback, ...args) : callback(...args);
performance.now = () => performance.now();

export const { createNodeClient } = await import('@flagsvc/sdk-node');

// Node's own modules that load later get the real timers.
Object.assign(timers, { clearTimeout, setImmediate, setTimeout });
delete performance.now;
