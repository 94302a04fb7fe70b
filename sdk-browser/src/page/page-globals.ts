import type { Ports } from '@flagsvc/sdk-core/client';

/** Adds a listener; it is removed when the signal is aborted. */
type Listen = (
  type: string,
  listener: (event: { readonly type: string }) => void,
  options: { readonly signal: AbortSignal },
) => void;

/**
 * The globals of a page that a client uses, as `globalThis` has them. All but `document` and `fetch` may be missing, as
 * in old browsers, private windows and workers; then there is no cache, or each client polls on its own.
 */
export interface PageGlobals {
  /** Shows whether the page is visible, and emits changes. Without it a client never fetches (decisions/0010). */
  readonly document?: { readonly visibilityState: string; readonly addEventListener: Listen } | undefined;
  /** Listens to `pagehide` and `pageshow`. */
  readonly addEventListener?: Listen | undefined;
  /** Caches the last answers. */
  readonly localStorage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined;
  /** With `locks` and a `BroadcastChannel`, one client polls for all that share them. */
  readonly navigator?: { readonly locks?: Pick<LockManager, 'request'> | undefined } | undefined;
  readonly BroadcastChannel?: typeof globalThis.BroadcastChannel | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Clock, random numbers and abort controllers, which tests replace. */
export type PagePorts = Pick<Ports, 'clock' | 'random' | 'newController'>;

/** Longest delay that `setTimeout` takes; with a longer one it fires at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The ports of a browser. */
export const systemPorts: PagePorts = {
  clock: {
    // These functions are looked up at each call, so that a page can patch them.
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimer: (callback, delayMs) => setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS)),
    clearTimer: (timer) => clearTimeout(timer as number),
  },
  random: Math.random,
  newController: () => new AbortController(),
};

const hash = (text: string, prime: number): string => {
  let bits = prime;
  for (const letter of text) bits = Math.imul(bits ^ letter.codePointAt(0)!, prime);
  return (bits >>> 0).toString(36);
};

/** A hash of up to 64 bits in base 36: two multiplicative hashes, so that similar texts do not collide. */
export const hashText = (text: string): string => hash(text, 0x9e3779b1) + hash(text, 0x5f356495);
