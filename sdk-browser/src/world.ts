import type { Clock, Ports } from '@flagsvc/sdk-core/client';

/** What a page offers; `globalThis` is one. Much of it may be missing: old browsers, private windows, servers. */
export type World = Partial<
  Pick<
    typeof globalThis,
    'document' | 'navigator' | 'localStorage' | 'BroadcastChannel' | 'addEventListener' | 'fetch'
  >
>;

/** The rest of a page's world, which tests replace. */
export type PagePorts = Pick<Ports, 'clock' | 'random' | 'newController'>;

/** Longest delay that `setTimeout` takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

const clock: Clock = {
  // Looked up at each call, so that it can be patched.
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (callback, delayMs) => setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS)),
  clearTimer: (timer) => clearTimeout(timer as number),
};

export const systemPorts: PagePorts = {
  clock,
  random: Math.random,
  newController: () => new AbortController(),
};

const hash = (text: string, prime: number): string => {
  let bits = prime;
  for (const letter of text) bits = Math.imul(bits ^ letter.codePointAt(0)!, prime);
  return (bits >>> 0).toString(36);
};

/** Up to 64 bits of a text, in base 36: two multiplicative hashes side by side, so that near texts do not meet. */
export const hashText = (text: string): string => hash(text, 0x9e3779b1) + hash(text, 0x5f356495);
