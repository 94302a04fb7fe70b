/** The time of 10,000 hooks, as a ratio to hooks of a store that does nothing but hold values. Runs in `page.mjs`. */
import { createBrowserClient } from '@flagsvc/sdk-browser';
import { FlagProvider, useFlag } from '@flagsvc/sdk-react';
import { createElement, type FunctionComponent, memo, type ReactNode, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

const HOOKS = 10_000;
const ROUNDS = 15;
const KEYS = Array.from({ length: HOOKS }, (_, at) => `flag-${at}`);

/** A store of values, mounted in a page. */
interface Subject {
  /** A component that reads one value. */
  readonly Reader: FunctionComponent<{ name: string }>;
  readonly wrap: (children: ReactNode) => ReactNode;
  /** Adds a listener that is called after those of the hooks added before. */
  readonly listen: (listener: () => void) => () => void;
  /** Replaces all values; listeners are called before the promise resolves. */
  readonly replace: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** The floor: the least that a hook with a value per key can do. */
const createPlain = (initial: Readonly<Record<string, string>>): Subject => {
  let values = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    Reader: memo(({ name }: { name: string }) => useSyncExternalStore(subscribe, () => values[name])),
    wrap: (children) => children,
    listen: subscribe,
    async replace(next) {
      values = next;
      for (const listener of [...listeners]) listener();
    },
    async close() {},
  };
};

const resultsOf = (values: Readonly<Record<string, string>>) => ({
  evaluations: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      { value, reason: 'DEFAULT', rule_id: null, variation_key: value },
    ]),
  ),
});

/** Our hooks. With events, the client also creates a counter for each new outcome, which is its work and not a hook's. */
const createOurs = (initial: Readonly<Record<string, string>>, events: boolean): Subject => {
  let answer = resultsOf(initial);
  let user = 0;
  const client = createBrowserClient({
    apiKey: 'sdk-1',
    baseUrl: 'http://localhost',
    context: { user_key: 'u' },
    bootstrap: answer,
    cache: false,
    events,
    pollIntervalMs: 2 ** 30,
    fetch: async () => new Response(JSON.stringify({ data: answer })),
    logger: false,
  });
  return {
    Reader: memo(({ name }: { name: string }) => useFlag(name, 'default')),
    wrap: (children) => createElement(FlagProvider, { client }, children),
    listen: (listener) => client.on('change', listener),
    replace(values) {
      answer = resultsOf(values);
      return client.setContext({ user_key: `u${++user}` });
    },
    close: () => client.close({ timeoutMs: 0 }),
  };
};

const same = (value: string) => Object.fromEntries(KEYS.map((key) => [key, value]));

/** Milliseconds to mount all hooks, after a change of one value, and after a change of all. */
const measure = async (create: typeof createPlain): Promise<number[]> => {
  // The cleanup of the subject before must not count.
  await new Promise((resolve) => setTimeout(resolve, 20));
  (globalThis as { gc?: () => void }).gc?.();
  const subject = create(same('a'));
  let from = 0;
  let to = 0;
  // The first listener and the last one: the time between them is that of the hooks, without fetching and parsing.
  subject.listen(() => {
    from = performance.now();
  });
  const root = createRoot(document.createElement('div'));
  const start = performance.now();
  const readers = KEYS.map((name) => createElement(subject.Reader, { key: name, name }));
  flushSync(() => root.render(subject.wrap(readers)));
  // Effects, in which the hooks subscribe, run before the next update.
  flushSync(() => {});
  const mounted = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve));
  subject.listen(() => {
    flushSync(() => {});
    to = performance.now();
  });
  const timeOf = async (values: Readonly<Record<string, string>>) => {
    await subject.replace(values);
    return to - from;
  };
  const one = await timeOf({ ...same('a'), 'flag-5000': 'b' });
  const all = await timeOf(same('c'));
  root.unmount();
  await subject.close();
  return [mounted, one, all];
};

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** The median time of mounting, one change and all changes, and the median ratio to the floor. */
export interface HookTimes {
  readonly floor: number;
  readonly ours: number;
  readonly ratio: number;
}

const compare = async (ours: typeof createPlain): Promise<HookTimes[]> => {
  const rounds: [number[], number[]][] = [];
  for (let round = -2; round < ROUNDS; round++) {
    // Alternating, so that a busy machine slows both.
    const first = await measure(round % 2 ? createPlain : ours);
    const second = await measure(round % 2 ? ours : createPlain);
    if (round >= 0) rounds.push(round % 2 ? [first, second] : [second, first]);
  }
  return [0, 1, 2].map((at) => ({
    floor: median(rounds.map(([floor]) => floor[at]!)),
    ours: median(rounds.map(([, hooks]) => hooks[at]!)),
    ratio: median(rounds.map(([floor, hooks]) => hooks[at]! / floor[at]!)),
  }));
};

/** The times without events, and then with events. */
export const run = async (): Promise<HookTimes[]> => [
  ...(await compare((initial) => createOurs(initial, false))),
  ...(await compare((initial) => createOurs(initial, true))),
];
