import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useChange } from './use-change.ts';

/** A change whose answers wait until they are let go. */
function startChange() {
  const sent: { readonly input: string; readonly answer: (output: string) => void }[] = [];
  const queries = new QueryClient();
  const { result } = renderHook(
    () =>
      useChange<string, string>({
        send: (input) => new Promise((answer) => sent.push({ input, answer })),
        outdates: [],
      }),
    { wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider> },
  );
  return { sent, result };
}

test('a change that is pressed twice is sent once, and both presses get its answer', async () => {
  const { sent, result } = startChange();
  const presses = await act(async () => [result.current.save('off'), result.current.save('off')]);
  expect(sent).toHaveLength(1);
  await act(async () => sent[0]!.answer('saved'));
  expect(await Promise.all(presses)).toEqual(['saved', 'saved']);
  await act(async () => void result.current.save('off'));
  expect(sent).toHaveLength(2);
});

test('another change does not wait for the first', async () => {
  const { sent, result } = startChange();
  await act(async () => [result.current.save('off'), result.current.save('on')]);
  expect(sent.map(({ input }) => input)).toEqual(['off', 'on']);
});
