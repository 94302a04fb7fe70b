import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ApiProblem } from '../../api/problem.ts';
import { ErrorPage } from './error-page.tsx';

const busy = new ApiProblem({ status: 429, code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.' });

test('a page that failed is tried again in its place', async () => {
  const reset = vi.fn();
  render(<ErrorPage error={busy} reset={reset} />);
  expect(screen.queryByRole('main')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(reset).toHaveBeenCalledOnce();
});

test('an error in the place of everything stands alone, and offers another attempt', () => {
  render(<ErrorPage error={busy} />);
  within(screen.getByRole('main')).getByText('Too many requests');
  screen.getByRole('button', { name: 'Try again' });
});
