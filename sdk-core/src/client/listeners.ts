import type { Fault, Report } from './errors.ts';
import type { Logger } from './ports.ts';

/** The one word for how a client stands. */
export type ClientStatus =
  /** Nothing yet: every flag answers its default value. */
  | 'initializing'
  /** Answers come from the bootstrap or the cache; the server has not confirmed them yet. */
  | 'cached'
  /** Answers are what the server said at the last fetch. */
  | 'ready'
  /** The last fetch failed; answers are the last good ones, however old. */
  | 'stale'
  /** The server refuses the key; answers are the last good ones, if any. It is asked again, ever more slowly. */
  | 'unauthorized'
  /** Closed for good; answers are the last good ones. */
  | 'closed';

/** What a listener is called with. */
export interface ClientEvents {
  /**
   * Keys of the flags that answer differently from now on; never empty. In a page, with the next user, also of those
   * that report exposures: the same answer is then a new exposure (decisions/0019).
   */
  readonly change: readonly string[];
  readonly status: ClientStatus;
  /** Something went wrong; the same thing is told once until it is over. */
  readonly error: Fault;
}

export type Listener<Name extends keyof ClientEvents> = (about: ClientEvents[Name]) => void;

/** Registers listeners and calls them; one that throws harms nobody. */
export interface Listeners {
  /** Gives the function that removes the listener again. */
  on<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): () => unknown;
  off<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): unknown;
  emit<Name extends keyof ClientEvents>(name: Name, about: ClientEvents[Name]): void;
  /** Whether anybody listens. */
  has(name: keyof ClientEvents): boolean;
  /** Tells the logger and the listeners, the same thing once until `relieve`. */
  readonly report: Report;
  /** What is told from now on may have been told before. */
  relieve(): void;
}

/** More different faults than these are not told: each flag can have one of its own. */
const MAX_TOLD = 1000;

export const createListeners = (log: Logger): Listeners => {
  const sets: { [Name in keyof ClientEvents]: Set<Listener<Name>> } = {
    change: new Set(),
    status: new Set(),
    error: new Set([log]),
  };
  const told = new Set<string>();
  const emit: Listeners['emit'] = (name, about) => {
    // A copy: a listener may add others.
    for (const listener of [...sets[name]]) {
      try {
        listener(about);
      } catch (error) {
        // One that listens to errors and throws would hear of itself.
        if (name !== 'error') report('LISTENER', error);
      }
    }
  };
  const report: Report = (code, about) => {
    let detail = '';
    try {
      detail = `${about ?? ''}`;
    } catch {
      // Whatever can be thrown: a symbol, an object without a prototype, one whose `toString` throws.
    }
    if (told.has(code + detail) || told.size > MAX_TOLD) return;
    told.add(code + detail);
    emit('error', { code, detail });
  };
  return {
    on(name, listener) {
      sets[name].add(listener);
      return () => sets[name].delete(listener);
    },
    off: (name, listener) => sets[name].delete(listener),
    emit,
    has: (name) => sets[name].size > 0,
    report,
    relieve: () => told.clear(),
  };
};
