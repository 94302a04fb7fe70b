// @vitest-environment jsdom
import { useFlag } from '@flagsvc/sdk-react';
import { withFlags } from '@flagsvc/sdk-react/storybook';
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(cleanup);

const Checkout = () => <>{`${useFlag('new-checkout', false)} ${useFlag('colour', 'none')}`}</>;
/** Renders as Storybook does: the decorator is called as a component, with the story's context. */
const storyOf = (
  context: Omit<Parameters<typeof withFlags>[1], 'parameters'> & { parameters?: Record<string, unknown> },
) => {
  const Decorated = () => withFlags(() => <Checkout />, { parameters: {}, ...context });
  return <Decorated />;
};

test('a story gets the flags of its parameters, and others are unknown', () => {
  expect(render(storyOf({ parameters: { flags: { 'new-checkout': true } } })).container.textContent).toBe(
    'true none',
  );
  expect(render(storyOf({})).container.textContent).toBe('false none');
});

test('controls and the toolbar win over parameters, and change a story in place', () => {
  const parameters = { flags: { 'new-checkout': true, colour: 'red' } };
  const { container, rerender } = render(storyOf({ parameters, globals: { flags: { colour: 'blue' } } }));
  expect(container.textContent).toBe('true blue');
  rerender(storyOf({ parameters, args: { flags: { colour: 'green' } }, globals: {} }));
  expect(container.textContent).toBe('true green');
});

test('flags that are no object are refused with an example', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const flags of [true, ['new-checkout'], null])
    expect(() => render(storyOf({ parameters: { flags } }))).toThrow(
      'must be an object such as { "new-checkout": true }',
    );
  vi.restoreAllMocks();
});
