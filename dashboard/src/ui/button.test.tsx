import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Button, IconButton } from './button.tsx';
import { TipContext } from './tip.tsx';
import { Tip } from './tooltip.tsx';

test('a button that may not be pressed says why, keeps its focus and does nothing', async () => {
  const onPress = vi.fn();
  render(
    <TipContext.Provider value={Tip}>
      <Button kind="main" whyNot="Production is frozen" onPress={onPress}>
        Save
      </Button>
    </TipContext.Provider>,
  );
  const button = screen.getByRole('button', { name: 'Save' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await userEvent.tab();
  expect(document.activeElement).toBe(button);
  expect(await screen.findByRole('tooltip')).toHaveProperty('textContent', 'Production is frozen');
  await userEvent.keyboard('{Enter}');
  await userEvent.click(button);
  expect(onPress).not.toHaveBeenCalled();
});

test('a button that works ignores further presses and keeps its focus', async () => {
  const onPress = vi.fn();
  render(
    <Button isPending onPress={onPress}>
      Saving
    </Button>,
  );
  const button = screen.getByRole('button', { name: 'Saving' });
  await userEvent.click(button);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(document.activeElement).toBe(button);
  expect(onPress).not.toHaveBeenCalled();
});

test('an icon has a name for screen readers', () => {
  render(<IconButton icon="copy" label="Copy the key" />);
  expect(screen.getByRole('button', { name: 'Copy the key' })).toBeTruthy();
});
