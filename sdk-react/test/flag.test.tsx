// @vitest-environment jsdom
import { Flag } from '@flagsvc/sdk-react/flag';
import { createTestFlagClient, FlagsTestProvider, type TestFlagClient } from '@flagsvc/sdk-react/testing';
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';

afterEach(cleanup);

const textOf = (client: TestFlagClient, children: ReactNode) =>
  render(<FlagsTestProvider client={client}>{children}</FlagsTestProvider>).container;

test('Flag shows its children if the flag is on, and otherwise the other part', () => {
  const client = createTestFlagClient({ 'new-checkout': true });
  const container = textOf(
    client,
    <Flag flagKey="new-checkout" otherwise="old">
      new
    </Flag>,
  );
  expect(container.textContent).toBe('new');
  client.setFlag('new-checkout', false);
  expect(container.textContent).toBe('old');
  client.removeFlag('new-checkout');
  expect(container.textContent).toBe('old');
});

test('Flag shows nothing by default, and for a flag of another type', () => {
  const client = createTestFlagClient({ colour: 'true' });
  expect(textOf(client, <Flag flagKey="unknown">new</Flag>).innerHTML).toBe('');
  expect(textOf(client, <Flag flagKey="colour">new</Flag>).innerHTML).toBe('');
});

test('Flag shows its children for one value, and a function renders any value', () => {
  const client = createTestFlagClient({ colour: 'green', limit: 0 });
  const container = textOf(
    client,
    <>
      <Flag flagKey="colour" defaultValue="red" is="green" otherwise="other">
        green
      </Flag>
      <Flag flagKey="limit" defaultValue={5}>
        {(limit) => <b>{limit * 2}</b>}
      </Flag>
    </>,
  );
  expect(container.innerHTML).toBe('green<b>0</b>');
  client.setFlag('colour', 'red');
  client.setFlag('limit', 4);
  expect(container.innerHTML).toBe('other<b>8</b>');
});

test('Flag mounts only the part that it shows, and counts one use', () => {
  const mounted: string[] = [];
  const Part = ({ name }: { name: string }) => {
    mounted.push(name);
    return name;
  };
  const client = createTestFlagClient({ 'new-checkout': true });
  textOf(
    client,
    <Flag flagKey="new-checkout" otherwise={<Part name="old" />}>
      <Part name="new" />
    </Flag>,
  );
  expect(mounted).toEqual(['new']);
  expect(client.stats().recorded).toBe(1);
});
