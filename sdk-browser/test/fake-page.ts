import {
  createScriptedFetch,
  createSeededRandom,
  createSimulatedClock,
  createTestController,
} from '@flagsvc/sdk-core/testing';
import { createPageClient } from '../src/client/browser-client.ts';
import type { BrowserClientOptions } from '../src/client/options.ts';
import type { PageGlobals } from '../src/page/page-globals.ts';

/** A localStorage that a test can fill up. */
export interface FakeStorage {
  readonly entries: Map<string, string>;
  isFull: boolean;
}

/** One browser: its tabs share storage, locks, channels, the server and the clock. */
export const createFakeBrowser = () => {
  const clock = createSimulatedClock();
  const server = createScriptedFetch(clock);
  const storage: FakeStorage = { entries: new Map(), isFull: false };
  const channels = new Set<FakeChannel>();
  const locks = new Map<string, { readonly run: () => Promise<unknown>; isRunning: boolean }[]>();
  /** The code and detail of every fault that the pages have logged. */
  const lines: string[] = [];
  /** All messages between tabs. */
  const messages: unknown[] = [];
  let tabs = 0;

  class FakeChannel {
    onmessage: ((event: { data: unknown }) => void) | undefined;
    readonly name: string;
    constructor(name: string) {
      this.name = name;
      channels.add(this);
    }
    postMessage(data: unknown) {
      if (!channels.has(this)) throw new Error('the channel is closed');
      messages.push(data);
      const copy = structuredClone(data);
      for (const other of channels) {
        if (other === this || other.name !== this.name) continue;
        Promise.resolve().then(() => channels.has(other) && other.onmessage?.({ data: copy }));
      }
    }
    close() {
      channels.delete(this);
    }
  }

  const grant = (name: string) => {
    const queue = locks.get(name) ?? [];
    const [first] = queue;
    if (!first || first.isRunning) return;
    first.isRunning = true;
    first.run().finally(() => {
      queue.splice(queue.indexOf(first), 1);
      grant(name);
    });
  };
  const request = (name: string, { signal }: { signal: AbortSignal }, callback: () => unknown) =>
    new Promise((resolve, reject) => {
      const queue = locks.get(name) ?? [];
      locks.set(name, queue);
      const waiting = {
        isRunning: false,
        run: () => Promise.resolve().then(callback).then(resolve, reject),
      };
      queue.push(waiting);
      signal.addEventListener('abort', () => {
        if (waiting.isRunning) return;
        queue.splice(queue.indexOf(waiting), 1);
        reject(signal.reason);
      });
      Promise.resolve().then(() => grant(name));
    });

  const localStorage = {
    getItem: (key: string) => storage.entries.get(key) ?? null,
    removeItem: (key: string) => void storage.entries.delete(key),
    setItem(key: string, text: string) {
      if (storage.isFull) throw new DOMException('full', 'QuotaExceededError');
      storage.entries.set(key, text);
    },
  };

  /** Opens a page, visible by default; `without` names globals that its browser lacks. */
  const openTab = ({ hidden = false, without = [] as readonly (keyof PageGlobals)[] } = {}) => {
    const page = new EventTarget();
    const document = Object.assign(new EventTarget(), { visibilityState: hidden ? 'hidden' : 'visible' });
    const globals = {
      document,
      localStorage,
      navigator: { locks: { request } },
      BroadcastChannel: FakeChannel,
      addEventListener: page.addEventListener.bind(page),
      fetch: async (url: string, init: object) =>
        Object.assign(await server.fetch(url, init as never), { clone: undefined }),
    };
    for (const name of without) delete (globals as Partial<typeof globals>)[name as keyof typeof globals];
    const show = (visibilityState: 'visible' | 'hidden') => {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    };
    return {
      globals: globals as unknown as PageGlobals,
      hide: () => show('hidden'),
      show: () => show('visible'),
      fire: (type: string) => page.dispatchEvent(new Event(type)),
      open: (options: Partial<BrowserClientOptions> = {}) =>
        createPageClient(
          {
            apiKey: 'sdk-dev-page',
            baseUrl: 'http://test',
            context: { user_key: 'u1' },
            logger: ({ code, detail }) => void lines.push(`flagsvc: ${code} ${detail}`),
            ...options,
          },
          globals as unknown as PageGlobals,
          { clock, random: createSeededRandom(++tabs), newController: createTestController },
        ),
    };
  };
  return {
    clock,
    server,
    storage,
    lines,
    messages,
    openTab,
    holders: () => [...locks.values()].flat().length,
  };
};
