// @vitest-environment jsdom
import { FlagProvider, useFlag, useTrack } from '@flagsvc/sdk-react';
import { createTestFlagClient, FlagsTestProvider } from '@flagsvc/sdk-react/testing';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { StrictMode, useEffect } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { createFlagServer } from './flag-server.ts';

afterEach(cleanup);

test('useTrack records events of the current user, with their data', async () => {
  const client = createTestFlagClient();
  const Buy = () => {
    const track = useTrack();
    return (
      <button type="button" onClick={() => track('purchase', { value: 49.9, properties: { size: 'L' } })}>
        Buy
      </button>
    );
  };
  render(
    <FlagsTestProvider client={client}>
      <Buy />
    </FlagsTestProvider>,
  );
  fireEvent.click(screen.getByText('Buy'));
  await client.setContext({ user_key: 'u2' });
  fireEvent.click(screen.getByText('Buy'));
  const data = { value: 49.9, properties: { size: 'L' } };
  expect(client.tracked).toEqual([
    { eventName: 'purchase', context: { user_key: 'test' }, data },
    { eventName: 'purchase', context: { user_key: 'u2' }, data },
  ]);
});

test('useTrack returns the same function in every render, and causes none', () => {
  const client = createTestFlagClient({ colour: 'red', other: 1 });
  const seen: unknown[] = [];
  let effects = 0;
  const Tracking = () => {
    const track = useTrack();
    seen.push(track);
    useFlag('colour', '');
    useEffect(() => {
      effects++;
      track('shown');
    }, [track]);
    return null;
  };
  render(
    <FlagsTestProvider client={client}>
      <Tracking />
    </FlagsTestProvider>,
  );
  client.setFlag('other', 2);
  client.setFlag('colour', 'green');
  expect(seen).toHaveLength(2);
  expect(new Set(seen).size).toBe(1);
  expect(effects).toBe(1);
  expect(client.tracked).toHaveLength(1);
});

test('events of useTrack are sent with the user of the page', async () => {
  const batches: { events: unknown[] }[] = [];
  const server = createFlagServer();
  const client = server.client({
    events: true,
    fetch: async (url, init) => {
      if (String(url).endsWith('/events')) batches.push(JSON.parse(String(init?.body)));
      return new Response('{}', { status: 202 });
    },
  });
  const Shown = () => {
    const track = useTrack();
    useEffect(() => track('shown', { value: 1 }), [track]);
    return null;
  };
  const { unmount } = render(
    <StrictMode>
      <FlagProvider client={client}>
        <Shown />
      </FlagProvider>
    </StrictMode>,
  );
  await client.flush();
  expect(batches.flatMap(({ events }) => events)).toEqual([
    expect.objectContaining({ type: 'track', event_name: 'shown', user_key: 'u1', value: 1 }),
    expect.objectContaining({ type: 'track', event_name: 'shown', user_key: 'u1', value: 1 }),
  ]);
  unmount();
  await client.close({ timeoutMs: 0 });
});

test('useTrack without a provider names itself in the error', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const Lost = () => {
    useTrack();
    return null;
  };
  expect(() => render(<Lost />)).toThrow('no <FlagProvider client> above useTrack');
  vi.restoreAllMocks();
});
