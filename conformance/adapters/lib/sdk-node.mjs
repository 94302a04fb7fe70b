/**
 * sdk-node, which takes Node's own timers when it is loaded, so that nobody can stop them. Here what it takes asks
 * whoever tells the time when it is called, so that a virtual clock may.
 */
import timers from 'node:timers';

const { clearTimeout, setImmediate, setTimeout } = timers;
timers.setTimeout = (...args) => globalThis.setTimeout(...args);
timers.clearTimeout = (timer) => globalThis.clearTimeout(timer);
// Where time stands still until it is moved, all that has come was read before.
timers.setImmediate = (callback, ...args) =>
  globalThis.setTimeout === setTimeout ? setImmediate(callback, ...args) : callback(...args);
performance.now = () => performance.now();

export const { createNodeClient } = await import('@flagsvc/sdk-node');

// Node's own modules, which are loaded later, take the real ones.
Object.assign(timers, { clearTimeout, setImmediate, setTimeout });
delete performance.now;
