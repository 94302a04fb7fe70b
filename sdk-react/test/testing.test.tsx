// @vitest-environment jsdom
import { useClientStatus, useFlag, useFlagClient } from '@flagsvc/sdk-react';
import { createTestFlagClient, FlagsTestProvider } from '@flagsvc/sdk-react/testing';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';

afterEach(cleanup);

const Checkout = () => {
  const client = useFlagClient();
  return (
    <button type="button" onClick={() => client.track('purchase', { value: 5 })}>
      {`${useFlag('new-checkout', false) ? 'new' : 'old'} ${useClientStatus()}`}
    </button>
  );
};

test('FlagsTestProvider sets, changes and removes values', () => {
  const page = (flags?: Record<string, unknown>) => (
    <FlagsTestProvider {...(flags && { flags })}>
      <Checkout />
    </FlagsTestProvider>
  );
  const { rerender } = render(page({ 'new-checkout': true }));
  expect(screen.getByRole('button').textContent).toBe('new ready');
  rerender(page({ 'new-checkout': false }));
  expect(screen.getByRole('button').textContent).toBe('old ready');
  rerender(page({ 'new-checkout': true }));
  rerender(page());
  expect(screen.getByRole('button').textContent).toBe('old ready');
});

test('a test client sets flags and the status at once, and collects track calls', async () => {
  const client = createTestFlagClient({ 'new-checkout': false });
  render(
    <FlagsTestProvider client={client}>
      <Checkout />
    </FlagsTestProvider>,
  );
  client.setFlag('new-checkout', true);
  client.setStatus('stale');
  expect(screen.getByRole('button').textContent).toBe('new stale');
  screen.getByRole('button').click();
  expect(client.tracked).toEqual([
    { eventName: 'purchase', context: { user_key: 'test' }, data: { value: 5 } },
  ]);
  await client.setContext({ user_key: 'u2' });
  expect(client.context()).toEqual({ user_key: 'u2' });
});

test('a test client has the documented API of a page client and its own four members', () => {
  const client = createTestFlagClient({ colour: 'red' });
  expect(Object.getOwnPropertyNames(client).sort()).toEqual([
    ...['bootstrap', 'close', 'context', 'evaluateAll', 'flag', 'flagDetails', 'flush', 'off', 'on', 'ready'],
    ...['removeFlag', 'ruleset', 'setContext', 'setFlag', 'setStatus', 'stats', 'status', 'track', 'tracked'],
  ]);
  expect(Object.getPrototypeOf(client)).toBe(Object.prototype);
});
