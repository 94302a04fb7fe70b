import type { Fault, Report } from './errors.ts';
import type { Logger } from './ports.ts';

/** The state of a client. */
export type ClientStatus =
  /** There are no answers yet: every flag serves its default value. */
  | 'initializing'
  /** Answers come from the bootstrap or the cache; the server has not confirmed them yet. */
  | 'cached'
  /** The last fetch succeeded, and answers come from it. */
  | 'ready'
  /** The last fetch failed; answers are the last good ones, however old. */
  | 'stale'
  /** The server refuses the key; answers are the last good ones, if any. Retries slow down. */
  | 'unauthorized'
  /** Closed for good; answers are the last good ones. */
  | 'closed';

/** The argument of a listener, by event. */
export interface ClientEvents {
  /**
   * Keys of the flags whose answer changed; never empty. In a page, after a change of user, the flags that report
   * exposures are included: for the new user, the same answer is a new exposure (decisions/0019).
   */
  readonly change: readonly string[];
  readonly status: ClientStatus;
  /** A fault; equal faults are reported once per outage. */
  readonly error: Fault;
}

export type Listener<Name extends keyof ClientEvents> = (detail: ClientEvents[Name]) => void;

/** Registers and calls listeners. A listener that throws does not affect the others. */
export interface Listeners {
  /** Adds a listener; returns the function that removes it. */
  on<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): () => void;
  off<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): void;
  emit<Name extends keyof ClientEvents>(name: Name, detail: ClientEvents[Name]): void;
  /** True if there are listeners. */
  has(name: keyof ClientEvents): boolean;
  /** Reports a fault to the logger and the listeners, unless it was reported since `clearReported`. */
  readonly report: Report;
  /** Lets every fault be reported again. */
  clearReported(): void;
}

/** At most this many different faults are reported in an outage, because each flag can cause its own. */
const MAX_REPORTED = 1000;

export const createListeners = (log: Logger): Listeners => {
  const listeners: { [Name in keyof ClientEvents]: Set<Listener<Name>> } = {
    change: new Set(),
    status: new Set(),
    error: new Set([log]),
  };
  const reported = new Set<string>();
  const emit: Listeners['emit'] = (name, detail) => {
    // A copy, because a listener may add others.
    for (const listener of [...listeners[name]]) {
      try {
        listener(detail);
      } catch (error) {
        // An error of an `error` listener is not reported, because that listener would be called again with its own
        // error.
        if (name !== 'error') report('LISTENER', error);
      }
    }
  };
  const report: Report = (code, cause) => {
    let detail = '';
    try {
      detail = `${cause ?? ''}`;
    } catch {
      // The cause has no text: a symbol, an object without a prototype, or one whose `toString` throws.
    }
    if (reported.has(code + detail) || reported.size > MAX_REPORTED) return;
    reported.add(code + detail);
    emit('error', { code, detail });
  };
  return {
    on(name, listener) {
      listeners[name].add(listener);
      return () => listeners[name].delete(listener);
    },
    off: (name, listener) => listeners[name].delete(listener),
    emit,
    has: (name) => listeners[name].size > 0,
    report,
    clearReported: () => reported.clear(),
  };
};
