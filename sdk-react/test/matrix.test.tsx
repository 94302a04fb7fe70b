// @vitest-environment jsdom
/** Counts the renders of a hundred memoized components with one flag each (the table in the README). */
import { createTestFlag } from '@flagsvc/sdk-core/testing';
import { FlagProvider, useFlag } from '@flagsvc/sdk-react';
import { createTestFlagClient } from '@flagsvc/sdk-react/testing';
import { act, cleanup, render } from '@testing-library/react';
import { memo, StrictMode, useEffect, useLayoutEffect, useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFlagServer, type FlagServer } from './flag-server.ts';

const COUNT = 100;
const keys = Array.from({ length: COUNT }, (_, at) => `flag-${at}`);
const allOff = () => keys.map((key) => createTestFlag(key, false));

let renders = 0;
const Cell = memo(({ flagKey }: { readonly flagKey: string }) => {
  renders++;
  return <i>{String(useFlag(flagKey, false))}</i>;
});
Cell.displayName = 'Cell';
const cells = () => keys.map((key) => <Cell key={key} flagKey={key} />);

let server: FlagServer;
let client: ReturnType<FlagServer['client']>;
beforeEach(async () => {
  server = createFlagServer(...allOff());
  client = server.client();
  await client.ready();
});
afterEach(async () => {
  cleanup();
  vi.restoreAllMocks();
  await client.close({ timeoutMs: 0 });
});

/** The number of cell renders caused by an action. */
const rendersOf = async (work: () => unknown): Promise<number> => {
  renders = 0;
  await act(async () => {
    await work();
  });
  return renders;
};
const published = async (...flags: Parameters<FlagServer['publish']>) => {
  server.publish(...flags);
  await server.answered();
};

test('a change of one flag renders one component', async () => {
  const { container } = render(<FlagProvider client={client}>{cells()}</FlagProvider>);
  const next = allOff();
  next[42] = createTestFlag('flag-42', true);
  expect(await rendersOf(() => published(...next))).toBe(1);
  expect(container.textContent).toBe(keys.map((_, at) => String(at === 42)).join(''));
});

test('the same flags in a new version cause no render', async () => {
  render(<FlagProvider client={client}>{cells()}</FlagProvider>);
  expect(await rendersOf(() => published(...allOff()))).toBe(0);
  expect(client.stats().rulesetVersion).toBe(2);
});

test('a new context without new values causes no render', async () => {
  render(<FlagProvider client={client}>{cells()}</FlagProvider>);
  expect(await rendersOf(() => client.setContext({ user_key: 'u2', attributes: { plan: 'pro' } }))).toBe(0);
  expect(client.context().user_key).toBe('u2');
});

test('a new reason without a new value causes no render', async () => {
  const limits = { perDay: 5 };
  await published(createTestFlag('flag-0', false), createTestFlag('limits', limits));
  const seen: unknown[] = [];
  const Limits = () => {
    renders++;
    seen.push(useFlag('limits', { perDay: 0 }));
    return null;
  };
  render(
    <FlagProvider client={client}>
      <Limits />
      <Cell flagKey="flag-0" />
    </FlagProvider>,
  );
  const flags = [
    createTestFlag('flag-0', false, { enabled: false }),
    createTestFlag('limits', limits, { enabled: false }),
  ];
  expect(await rendersOf(() => published(...flags))).toBe(0);
  expect(client.flagDetails('limits', limits, true).reason).toBe('DISABLED');
  expect(new Set(seen).size).toBe(1);
});

test('a render above the provider renders no component below it', async () => {
  let again = () => {};
  const children = cells();
  const Above = () => {
    const [count, setCount] = useState(0);
    again = () => setCount(count + 1);
    return <FlagProvider client={client}>{children}</FlagProvider>;
  };
  render(<Above />);
  expect(await rendersOf(() => again())).toBe(0);
});

test('a change of key shows the right value in the first commit, and a later update causes only one commit', async () => {
  await published(createTestFlag('yes', true), createTestFlag('no', false));
  const commits: string[] = [];
  const Commit = ({ flagKey }: { readonly flagKey: string }) => {
    const value = useFlag(flagKey, false);
    useLayoutEffect(() => void commits.push(`${flagKey} ${value}`));
    return null;
  };
  const page = (flagKey: string) => (
    <FlagProvider client={client}>
      <Commit flagKey={flagKey} />
    </FlagProvider>
  );
  const { rerender } = render(page('no'));
  rerender(page('yes'));
  expect(commits).toEqual(['no false', 'yes true']);
  await act(() => published(createTestFlag('yes', false), createTestFlag('no', true)));
  expect(commits).toEqual(['no false', 'yes true', 'yes false']);
});

test('an update between render and subscription is not missed', () => {
  // React warns about `act` inside a render, which is intended here.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const flags = createTestFlagClient({ late: false });
  // Layout effects run after the first render and before hooks subscribe.
  const Meddler = () => {
    useLayoutEffect(() => flags.setFlag('late', true), []);
    return null;
  };
  const { container } = render(
    <FlagProvider client={flags}>
      <Cell flagKey="late" />
      <Meddler />
    </FlagProvider>,
  );
  expect(container.textContent).toBe('true');
});

test.each([
  ['without StrictMode', ({ children }: { readonly children: React.ReactNode }) => children],
  ['in StrictMode', StrictMode],
])('%s, each hook has one listener, which unmounting removes', async (_, Wrapper) => {
  let handlers = 0;
  const counting: typeof client = {
    ...client,
    on(name, listener) {
      handlers++;
      const off = client.on(name, listener);
      return () => {
        handlers--;
        return off();
      };
    },
  };
  const Churn = () => {
    const [count, setCount] = useState(0);
    useEffect(() => {
      if (count < 5) setCount(count + 1);
    }, [count]);
    return <Cell flagKey={`flag-${count}`} />;
  };
  const { unmount } = render(
    <Wrapper>
      <FlagProvider client={counting}>
        {cells()}
        <Churn />
      </FlagProvider>
    </Wrapper>,
  );
  expect(handlers).toBe(COUNT + 1);
  unmount();
  expect(handlers).toBe(0);
});
