import type { Clock } from '@flagsvc/sdk-core/client';

/** What a page offers; `globalThis` is one. Much of it may be missing: old browsers, private windows, servers. */
export type World = Partial<
  Pick<
    typeof globalThis,
    'document' | 'navigator' | 'localStorage' | 'BroadcastChannel' | 'addEventListener' | 'fetch'
  >
>;

/** Longest delay that `setTimeout` takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (callback, delayMs) => setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS)),
  clearTimer: (timer) => clearTimeout(timer as number),
};

/** 53 bits of a text, in base 36: two multiplicative hashes side by side, so that near texts do not meet. */
export const hashText = (text: string): string => {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ (low >>> 13);
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35) ^ (high >>> 13);
  return ((high & 0x1fffff) * 2 ** 32 + (low >>> 0)).toString(36);
};
