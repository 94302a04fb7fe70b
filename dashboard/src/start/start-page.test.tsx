import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type Answer, refusal, renderPage } from '../../test/parts/render-page.tsx';
import { StartPage } from './start-page.tsx';

const attention = {
  stale_flags: { mine: 0, all: 2 },
  changed_flags: 0,
  break_glass_reviews: 0,
  failing_webhooks: 0,
  expiring_keys: 2,
  active_freezes: [],
  next_freeze: null,
  stopped_changes: { total: 0, first: [] },
  failed_changes: { total: 0, first: [] },
};
const list = (data: unknown = []) => ({ data, meta: { total: (data as []).length, next_cursor: null } });
const sdk = {
  name: 'sdk-node',
  version: '0.1.0',
  key: { id: 'key_1', name: 'shop-api', prefix: 'sdk-dev-', kind: 'server' },
  first_seen_at: '2026-11-20T10:00:00.000Z',
  last_seen_at: '2026-11-20T10:00:00.000Z',
  requests: 1,
};

/** A project whose apps report, unless `sdks` says otherwise. */
function answersOf(sdks: readonly unknown[] = [sdk], more: Readonly<Record<string, Answer>> = {}) {
  const places = ['development', 'staging', 'production'].flatMap((key) => [
    [`GET /api/v1/environments/env_${key}/sdks`, () => list(sdks)],
    [`GET /api/v1/environments/env_${key}/api-keys`, () => list()],
  ]);
  return {
    ...Object.fromEntries(places as [string, Answer][]),
    'GET /api/v1/projects/prj_1/attention': () => ({ data: attention }),
    'GET /api/v1/projects/prj_1/flags': () => list(),
    'GET /api/v1/audit-log': () => list(),
    'GET /api/v1/organizations/org_1/members': () => list(),
    'GET /api/v1/me/preferences': () => ({ data: {} }),
    'PUT /api/v1/me/preferences': () => ({ data: {} }),
    ...more,
  };
}

test('what needs the person is named, counted and linked', async () => {
  await renderPage(<StartPage />, { answers: answersOf() });
  await screen.findByText('2 API keys expire within 14 days');
  screen.getByText('One thing needs you. Everything else is as it should be.');
  screen.getByText(/2 more stale flags belong to others/);
  await screen.findByText('No flag changed today');
  await screen.findAllByText('shop-api');
});

test('a first visit begins the way to an app, and keeps that the person is on it', async () => {
  const { sent, user } = await renderPage(<StartPage />, { answers: answersOf([]) });
  await screen.findByRole('heading', { name: 'Watch a flag change in your app' });
  await screen.findByText('1 of 5 done');
  screen.getByText('In code: new-checkout');
  const put = sent.find(({ method }) => method === 'PUT');
  expect(await put!.json()).toEqual({ 'start.paths': { prj_1: 'open' } });
  await user.clear(screen.getByLabelText('Name'));
  expect(screen.getByRole('button', { name: 'Make the flag' }).getAttribute('aria-disabled')).toBe('true');
});

test('a flag that is refused says why, and keeps the name', async () => {
  const refused = { 'POST /api/v1/flags': () => refusal(409, 'FREEZE_WINDOW_ACTIVE') };
  const { user } = await renderPage(<StartPage />, { answers: answersOf([], refused) });
  await user.click(await screen.findByRole('button', { name: 'Make the flag' }));
  await screen.findByText('Not saved: this environment is frozen');
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('New checkout');
});

test('a viewer of a project without apps gets the overview and no way to change anything', async () => {
  await renderPage(<StartPage />, { answers: answersOf([]), role: 'viewer' });
  await screen.findByRole('heading', { name: /^Good/ });
  await screen.findByText('No app has reported yet.');
  expect(screen.queryByRole('button', { name: 'Connect an app' })).toBeNull();
});

test('attention that cannot be loaded says so', async () => {
  const failing = { 'GET /api/v1/projects/prj_1/attention': () => refusal(500, 'INTERNAL_ERROR') };
  await renderPage(<StartPage />, { answers: answersOf([sdk], failing) });
  await screen.findByRole('button', { name: 'Try again' });
  screen.getByRole('heading', { name: 'Changed today' });
});

test('preferences that cannot be loaded do not keep the page away, and are not overwritten', async () => {
  const failing = { 'GET /api/v1/me/preferences': () => refusal(500, 'INTERNAL_ERROR') };
  const { sent } = await renderPage(<StartPage />, { answers: answersOf([], failing) });
  await screen.findByRole('heading', { name: 'Watch a flag change in your app' });
  expect(sent.some(({ method }) => method === 'PUT')).toBe(false);
});
