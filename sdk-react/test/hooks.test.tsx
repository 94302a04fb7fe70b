// @vitest-environment jsdom
import type { EvaluationResult } from '@flagsvc/sdk-core';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import {
  FlagProvider,
  useClientStatus,
  useFlag,
  useFlagClient,
  useFlagDetails,
  useFlags,
  useSuspenseFlag,
} from '@flagsvc/sdk-react';
import { createTestFlagClient, FlagsTestProvider } from '@flagsvc/sdk-react/testing';
import { act, cleanup, render } from '@testing-library/react';
import { Component, type ReactNode, StrictMode, Suspense, startTransition, useState } from 'react';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createFlagServer } from './flag-server.ts';

afterEach(cleanup);

/** Renders a component that uses the hook, and collects the values of all renders. */
const watch = <T,>(useIt: () => T, Wrapper: (props: { children: ReactNode }) => ReactNode) => {
  const seen: T[] = [];
  const Watched = () => {
    seen.push(useIt());
    return null;
  };
  const { rerender, unmount } = render(<Watched />, { wrapper: Wrapper as never });
  return { seen, unmount, again: () => rerender(<Watched />) };
};
const within =
  (client: ReturnType<typeof createTestFlagClient>) =>
  ({ children }: { children: ReactNode }) => (
    <FlagsTestProvider client={client}>{children}</FlagsTestProvider>
  );

test('serves the default value until the flag is set, and after it is removed', () => {
  const client = createTestFlagClient();
  const { seen } = watch(() => useFlag('colour', 'red'), within(client));
  client.setFlag('colour', 'green');
  client.setFlag('colour', 5);
  client.setFlag('colour', 'blue');
  client.removeFlag('colour');
  expect(seen).toEqual(['red', 'green', 'red', 'blue', 'red']);
});

test.each<[string, () => unknown, string]>([
  ['useFlag', () => useFlag('new-checkout', false), 'new-checkout'],
  ['useFlagDetails', () => useFlagDetails('new-checkout', false), 'new-checkout'],
  ['useSuspenseFlag', () => useSuspenseFlag('new-checkout', false), 'new-checkout'],
  ['useFlags', () => useFlags(), 'useFlags'],
  ['useClientStatus', () => useClientStatus(), 'useClientStatus'],
  ['useFlagClient', () => useFlagClient(), 'useFlagClient'],
])('%s throws an error that names the missing provider and the reader', (_, useIt, name) => {
  const silent = vi.spyOn(console, 'error').mockImplementation(() => {});
  const message = `no <FlagProvider client> above ${name}`;
  expect(() => watch(useIt, ({ children }) => children)).toThrow(message);
  const Empty = ({ children }: { children: ReactNode }) => (
    <FlagProvider client={undefined as never}>{children}</FlagProvider>
  );
  expect(() => watch(useIt, Empty)).toThrow(message);
  silent.mockRestore();
});

test('useFlagDetails returns the same object while its fields are equal, whatever the default value', () => {
  const client = createTestFlagClient();
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const defaultValue of [false, Number.NaN, null, undefined, cycle, 5n]) {
    const { seen, again, unmount } = watch(() => useFlagDetails('x', defaultValue), within(client));
    again();
    expect(seen.at(-1)).toEqual({
      value: defaultValue,
      reason: 'FLAG_NOT_FOUND',
      rule_id: null,
      variation_key: null,
    });
    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(1);
    unmount();
  }
});

test('useFlagDetails renders again for a new reason, and a new default object in each render causes no extra render', () => {
  const client = createTestFlagClient();
  const { seen } = watch(() => useFlagDetails('limits', { perDay: 1 }), within(client));
  client.setFlag('limits', { perDay: 1 });
  expect(seen.map(({ reason }) => reason)).toEqual(['FLAG_NOT_FOUND', 'DEFAULT']);
  const values = watch(() => useFlag('unknown', { perDay: 1 }), within(client));
  client.setFlag('limits', { perDay: 2 });
  expect(values.seen).toHaveLength(1);
});

test('useFlags returns the same object until a flag changes', () => {
  const client = createTestFlagClient({ a: 1 });
  const { seen } = watch(() => useFlags(), within(client));
  client.setFlag('a', 1);
  client.setStatus('stale');
  client.setFlag('b', 2);
  client.removeFlag('a');
  const values = new Set(
    seen.map((all) => JSON.stringify(Object.entries(all).map(([key, { value }]) => [key, value]))),
  );
  expect([...values]).toEqual(['[["a",1]]', '[["a",1],["b",2]]', '[["b",2]]']);
});

test('useClientStatus follows the status', () => {
  const client = createTestFlagClient();
  const { seen } = watch(() => useClientStatus(), within(client));
  client.setStatus('stale');
  client.setFlag('a', 1);
  expect(seen).toEqual(['ready', 'stale']);
});

test('a JSON value stays the same object across rulesets while it is deeply equal', async () => {
  const server = createFlagServer(createTestFlag('limits', { perDay: [1, 2] }));
  const client = server.client();
  await client.ready();
  const { seen } = watch(
    () => useFlag('limits', {}),
    ({ children }) => <FlagProvider client={client}>{children}</FlagProvider>,
  );
  const publish = async (perDay: number[]) => {
    server.publish(createTestFlag('limits', { perDay }), createTestFlag('other', perDay.length));
    await act(() => server.answered());
  };
  await publish([1, 2]);
  await publish([1, 2, 3]);
  expect(seen).toEqual([{ perDay: [1, 2] }, { perDay: [1, 2, 3] }]);
  await client.close({ timeoutMs: 0 });
});

test('keys such as __proto__ are ordinary', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const client = createTestFlagClient();
  for (const name of names) {
    const { seen, unmount } = watch(() => useFlag(name, 'default'), within(client));
    expect(seen).toEqual(['default']);
    client.setFlag(name, 'served');
    expect(seen).toEqual(['default', 'served']);
    unmount();
  }
});

test('counts a use when a component is mounted and at each change of the flag, but not at each render', () => {
  const client = createTestFlagClient({ a: false });
  const recorded = () => client.stats().recorded;
  const { again } = watch(() => [useFlag('a', false), useFlags(), useClientStatus()], within(client));
  expect(recorded()).toBe(1);
  again();
  client.setFlag('b', true);
  expect(recorded()).toBe(1);
  client.setFlag('a', true);
  expect(recorded()).toBe(2);
});

test('counts a value that replaces an equal default value', () => {
  const client = createTestFlagClient();
  const { seen } = watch(() => useFlag('a', false), within(client));
  client.setFlag('a', false);
  expect(seen).toEqual([false]);
  expect(client.stats().recorded).toBe(2);
});

test('after a change of user, counts an exposure of a flag in use, although nothing renders', async () => {
  const client = createFlagServer(
    createTestFlag('exposed', true, { track_exposures: true }),
    createTestFlag('plain', true),
  ).client({ events: true });
  await client.ready();
  const { seen } = watch(
    () => [useFlag('exposed', false), useFlag('plain', false)],
    ({ children }) => <FlagProvider client={client}>{children}</FlagProvider>,
  );
  expect(client.stats().recorded).toBe(3);
  await act(() => client.setContext({ user_key: 'next' }));
  expect(client.stats().recorded).toBe(5);
  await act(() => client.setContext({ user_key: 'next', attributes: { plan: 'pro' } }));
  expect(client.stats().recorded).toBe(5);
  expect(seen).toHaveLength(1);
  await client.close({ timeoutMs: 0 });
});

test('after a change of key, counts uses of the new key and no longer of the old one', () => {
  const client = createTestFlagClient({ a: 1, b: 1 });
  const recorded = () => client.stats().recorded;
  let key = 'a';
  const { again } = watch(() => useFlag(key, 0), within(client));
  key = 'b';
  again();
  expect(recorded()).toBe(2);
  client.setFlag('a', 2);
  expect(recorded()).toBe(2);
  client.setFlag('b', 2);
  expect(recorded()).toBe(3);
});

test('a discarded render counts nothing', async () => {
  const client = createTestFlagClient({ a: true });
  const never = new Promise(() => {});
  const Suspended = () => {
    useFlag('a', false);
    throw never;
  };
  await act(async () => {
    render(
      <FlagsTestProvider client={client}>
        <Suspense>
          <Suspended />
        </Suspense>
      </FlagsTestProvider>,
    );
  });
  expect(client.stats().recorded).toBe(0);
});

/** A real page client on simulated time, and what a suspending component shows. */
const suspend = async (
  fetch: (calls: number) => Promise<Response>,
  timeouts: readonly (number | undefined)[],
) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let calls = 0;
  const client = createFlagServer().client({ fetch: () => fetch(++calls), pollIntervalMs: 30_000 });
  onTestFinished(() => client.close({ timeoutMs: 0 }));
  const Answer = ({ timeoutMs }: { timeoutMs: number | undefined }) =>
    useSuspenseFlag('a', 'default', timeoutMs === undefined ? undefined : { timeoutMs });
  const { container } = await act(async () =>
    render(
      <FlagProvider client={client}>
        {timeouts.map((timeoutMs) => (
          <Suspense key={timeoutMs} fallback="waiting ">
            <Answer timeoutMs={timeoutMs} />{' '}
          </Suspense>
        ))}
      </FlagProvider>,
    ),
  );
  return {
    shows: () => container.textContent!.trim(),
    pass: (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms)),
  };
};
const served = async () =>
  new Response(JSON.stringify({ data: createTestRuleset({ a: 'served' }) }), { headers: { etag: '"1"' } });

test.each([
  ['cannot be sent', () => Promise.reject(new TypeError('offline'))],
  ['is answered with status 500', async () => new Response('', { status: 500 })],
  ['is answered with HTML', async () => new Response('<html>')],
])(
  'useSuspenseFlag shows the default value as soon as the first fetch %s, and later the served value',
  async (_, fail) => {
    const { shows, pass } = await suspend((calls) => (calls === 1 ? fail() : served()), [undefined]);
    expect(shows()).toBe('waiting');
    await pass(10);
    expect(shows()).toBe('default');
    await pass(2_000);
    expect(shows()).toBe('served');
  },
);

test('useSuspenseFlag shows the default value at once if the first fetch failed before the render', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const client = createFlagServer().client({ fetch: () => Promise.reject(new TypeError('offline')) });
  onTestFinished(() => client.close({ timeoutMs: 0 }));
  await vi.advanceTimersByTimeAsync(10);
  const Answer = () => useSuspenseFlag('a', 'default');
  const { container } = await act(async () =>
    render(
      <FlagProvider client={client}>
        <Suspense fallback="waiting">
          <Answer />
        </Suspense>
      </FlagProvider>,
    ),
  );
  expect(container.textContent).toBe('default');
});

test('useSuspenseFlag suspends for its own timeoutMs, by default 5 s', async () => {
  const { shows, pass } = await suspend(() => new Promise(() => {}), [300, 2_000, undefined]);
  await pass(299);
  expect(shows()).toBe('waiting waiting waiting');
  await pass(1);
  expect(shows()).toBe('default waiting waiting');
  await pass(1_700);
  expect(shows()).toBe('default default waiting');
  await pass(2_999);
  expect(shows()).toBe('default default waiting');
  await pass(1);
  expect(shows()).toBe('default default default');
});

test('useSuspenseFlag suspends until the first answer, and no longer than ready()', async () => {
  const page = (client: ReturnType<typeof createTestFlagClient>) => (
    // The provider is inside the boundary, so its state is lost while it suspends.
    <Suspense fallback="waiting">
      <FlagProvider client={client}>
        <Answer />
      </FlagProvider>
    </Suspense>
  );
  const Answer = () => useSuspenseFlag('a', 'default');
  const open = async () => {
    const client = createTestFlagClient({}, { user_key: 'u1' });
    client.setStatus('initializing');
    let settle = () => {};
    const ready = new Promise<'initializing'>((resolve) => {
      settle = () => resolve('initializing');
    });
    const waiting = { ...client, ready: () => ready };
    const { container, unmount } = await act(async () => render(page(waiting)));
    return { client, container, settle, unmount };
  };
  const good = await open();
  expect(good.container.textContent).toBe('waiting');
  await act(async () => {
    good.client.setFlag('a', 'served');
    good.client.setStatus('ready');
    good.settle();
  });
  expect(good.container.textContent).toBe('served');
  const late = await open();
  await act(async () => late.settle());
  expect(late.container.textContent).toBe('default');
});

test('StrictMode neither closes the client nor misses a change', () => {
  const client = createTestFlagClient({ a: 1 });
  const { seen } = watch(
    () => useFlag('a', 0),
    ({ children }) => (
      <StrictMode>
        <FlagProvider client={client}>{children}</FlagProvider>
      </StrictMode>
    ),
  );
  client.setFlag('a', 2);
  expect(new Set(seen)).toEqual(new Set([1, 2]));
  expect(client.status()).toBe('ready');
});

test('a client that replaces another answers from the first render on', () => {
  const [one, two] = [createTestFlagClient({ a: 1 }), createTestFlagClient({ a: 2 })];
  const A = () => useFlag('a', 0);
  const page = (client: typeof one) => (
    <FlagProvider client={client}>
      <A />
    </FlagProvider>
  );
  const { container, rerender } = render(page(one));
  rerender(page(two));
  expect(container.textContent).toBe('2');
  one.setFlag('a', 3);
  expect(container.textContent).toBe('2');
  two.setFlag('a', 4);
  expect(container.textContent).toBe('4');
});

test('no commit shows two values of one flag, even if it changes during a concurrent render', async () => {
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  environment.IS_REACT_ACT_ENVIRONMENT = false;
  try {
    const client = createTestFlagClient({ a: 'old' });
    const texts: string[] = [];
    const Slow = () => {
      const value = useFlag('a', '');
      const until = performance.now() + 2;
      while (performance.now() < until);
      return <i>{value} </i>;
    };
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    let show = () => {};
    let rendered = 0;
    const Page = () => {
      const [isShown, setShown] = useState(false);
      show = () => startTransition(() => setShown(true));
      return isShown ? numbers.map((number) => <Slow key={number} />) : null;
    };
    const { container } = render(
      <FlagProvider client={client}>
        <Page />
      </FlagProvider>,
    );
    const observer = new MutationObserver(() =>
      texts.push([...new Set(container.textContent?.trim().split(' '))].join()),
    );
    observer.observe(container, { childList: true, subtree: true, characterData: true });
    show();
    // Changes the flag in the middle of about 80 ms of rendering, which React splits into slices.
    setTimeout(() => {
      rendered = container.childNodes.length;
      client.setFlag('a', 'new');
    }, 30);
    await vi.waitFor(() => expect(texts.at(-1)).toBe('new'), 5_000);
    observer.disconnect();
    expect(rendered).toBe(0);
    expect(texts.every((text) => text === 'old' || text === 'new')).toBe(true);
  } finally {
    environment.IS_REACT_ACT_ENVIRONMENT = true;
  }
});

test('closing the client triggers no error boundary', () => {
  const client = createTestFlagClient({ a: 1 });
  const errors: unknown[] = [];
  class Boundary extends Component<{ readonly children: ReactNode }> {
    override componentDidCatch(error: unknown) {
      errors.push(error);
    }
    override render() {
      return this.props.children;
    }
  }
  const A = () => String((useFlags() as Record<string, EvaluationResult>)['a']?.value) + useFlag('a', 0);
  const { container } = render(
    <Boundary>
      <FlagProvider client={client}>
        <A />
      </FlagProvider>
    </Boundary>,
  );
  act(() => void client.close());
  expect(container.textContent).toBe('11');
  expect(errors).toEqual([]);
});
