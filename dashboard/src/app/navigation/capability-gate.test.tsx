import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPage } from '../../../test/parts/render-page.tsx';
import { behindCapability } from './capability-gate.tsx';

const Page = behindCapability(() => <h1>Experiments</h1>, 'experiments');
const answering = (features: object) => ({
  answers: { 'GET /api/v1/instance/capabilities': () => ({ data: { features } }) },
});

test('a page of another mode leads to what the modes have', async () => {
  await renderPage(<Page />, answering({ experiments: { available: false } }));
  await screen.findByRole('heading', { level: 1, name: 'This installation does not have this page' });
  expect(screen.getByRole('link').getAttribute('href')).toBe('/settings/modes');
  expect(screen.queryByText('Experiments')).toBeNull();
});

test('a page of this mode is shown', async () => {
  await renderPage(<Page />, answering({ experiments: { available: true } }));
  await screen.findByRole('heading', { name: 'Experiments' });
});
