import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { clearDrafts } from '../../src/app/drafts/use-draft.ts';
import { refusal, renderPage } from '../../test/parts/render-page.tsx';
import { WhyPage } from './why-page.tsx';

const variations = [
  { key: 'on', name: 'On', value: true },
  { key: 'off', name: 'Off', value: false },
];
const conditions = [{ attribute: 'plan', operator: 'is', value: 'pro' }];
const rule = { id: 'rule_1', priority: 10, name: 'Pro customers', conditions, variation: 'on' };
const saved = {
  id: 'flg_1',
  key: 'checkout',
  name: 'Checkout',
  revision: 3,
  enabled: true,
  variations,
  default_variation: 'off',
  targeting_rules: [rule],
};
const ruleset = {
  version: 1,
  environment_id: 'env_production',
  flags: [
    {
      key: 'checkout',
      flag_type: 'boolean',
      enabled: true,
      variations,
      default_variation: 'off',
      targeting_rules: [rule],
    },
    {
      key: 'search',
      flag_type: 'boolean',
      enabled: false,
      variations,
      default_variation: 'off',
      targeting_rules: [],
    },
  ],
  segments: [],
  fetched_at: '2026-11-20T10:00:00.000Z',
};
const RULESET = 'GET /api/v1/environments/env_production/ruleset';
const FLAG = 'GET /api/v1/flags/by-key/checkout';
const answers = {
  [RULESET]: () => ({ data: ruleset }),
  [FLAG]: () => ({ data: saved }),
  'GET /api/v1/projects/prj_1/flags': () => ({
    data: [{ key: 'checkout', name: 'Checkout' }],
    meta: { next_cursor: null },
  }),
  'GET /api/v1/projects/prj_1/segments': () => ({ data: [] }),
};

beforeEach(clearDrafts);

test('a typed user is explained, and nothing of it is sent or put into the address', async () => {
  const { user, sent, search } = await renderPage(<WhyPage />, { answers, address: '/?flag=checkout' });
  await screen.findByText('No rule matches, so the default decides.');
  await user.click(screen.getByRole('button', { name: 'plan' }));
  await user.type(screen.getByLabelText('Value of plan'), 'pro');
  await screen.findByText('Rule 1, Pro customers matches.');
  expect(search()).toEqual({ flag: 'checkout' });
  expect(sent.every(({ method }) => method === 'GET')).toBe(true);
  expect(sent.some(({ url }) => url.includes('pro%') || url.includes('plan'))).toBe(false);
});

test('the unsaved edit of the flag stands beside what is saved', async () => {
  const base = { fallback: 'off', rules: [{ ...rule, shares: undefined }] };
  const mine = { fallback: 'off', rules: [{ ...rule, conditions: [], shares: undefined }] };
  sessionStorage.setItem(
    'flagsvc.draft.flag:flg_1:env_production',
    JSON.stringify({ base, revision: 3, mine }),
  );
  await renderPage(<WhyPage />, { answers, address: '/?flag=checkout' });
  await screen.findByRole('heading', { name: /^With your changes/ });
  screen.getByText('No rule matches, so the default decides.');
  screen.getByText('Rule 1, Pro customers matches.');
  within(screen.getByRole('table')).getByText('changes');
});

test('a link with a context fills the fields and leaves the address', async () => {
  const context = { user_key: 'ada', attributes: { plan: 'pro' } };
  const address = `/?flag=checkout#context=${encodeURIComponent(JSON.stringify(context))}`;
  await renderPage(<WhyPage />, { answers, address });
  await screen.findByText('Rule 1, Pro customers matches.');
  expect(screen.getByLabelText<HTMLInputElement>('User key').value).toBe('ada');
  expect(sessionStorage.getItem('flagsvc.draft.why:prj_1')).toContain('ada');
});

test('JSON that cannot be read says so, keeps the text, and comes back', async () => {
  const { user } = await renderPage(<WhyPage />, { answers, address: '/?flag=checkout' });
  await user.click(await screen.findByRole('radio', { name: 'JSON' }));
  const field = screen.getByLabelText('Context as JSON');
  await user.clear(field);
  await user.type(field, '{{"plan": "pro"');
  await screen.findByText('The JSON cannot be read');
  await user.type(field, '}');
  await user.click(await screen.findByRole('button', { name: 'Move into attributes' }));
  await screen.findByText('Rule 1, Pro customers matches.');
});

test('without a flag the table of all flags answers, and can be searched', async () => {
  const { user, search } = await renderPage(<WhyPage />, { answers });
  await screen.findByText('Pick a flag to see each step');
  const table = await screen.findByRole('table');
  expect(within(table).getAllByRole('row')).toHaveLength(3);
  await user.type(screen.getByRole('searchbox'), 'sea');
  await waitFor(() => expect(search()['q']).toBe('sea'));
  expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(2);
});

test('a flag that does not exist, and a draft that SDKs do not know, say what apps get', async () => {
  const missing = { ...answers, [FLAG]: () => refusal(404, 'FLAG_NOT_FOUND') };
  const view = await renderPage(<WhyPage />, { answers: missing, address: '/?flag=checkout' });
  await screen.findByText('There is no flag checkout here');
  view.unmount();
  const draft = { ...answers, [RULESET]: () => ({ data: { ...ruleset, flags: [] } }) };
  await renderPage(<WhyPage />, { answers: draft, address: '/?flag=checkout' });
  await screen.findByText('Checkout is a draft');
});

test('a failing server leaves the typed user in place, and a retry loads the rules', async () => {
  let isDown = true;
  const failing = vi.fn(() => (isDown ? refusal(500, 'INTERNAL_ERROR') : { data: ruleset }));
  const { user } = await renderPage(<WhyPage />, {
    answers: { ...answers, [RULESET]: failing },
    address: '/?flag=checkout',
  });
  await screen.findByText(/The user that you typed is kept\./);
  await user.type(screen.getByLabelText('User key'), 'ada');
  isDown = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('No rule matches, so the default decides.');
  expect(screen.getByLabelText<HTMLInputElement>('User key').value).toBe('ada');
});

test.each([
  [true, 'No user was recorded in the last 24 hours'],
  [false, 'Production records no users'],
])('the picker without recorded users (recording: %s) says "%s"', async (is_recording, words) => {
  const meta = { page: 1, per_page: 100, total: 0, is_recording };
  const path = 'GET /api/v1/environments/env_production/recorded-contexts';
  const { user } = await renderPage(<WhyPage />, {
    answers: { ...answers, [path]: () => ({ data: [], meta }) },
  });
  await user.click(screen.getByRole('button', { name: 'Recorded users' }));
  await screen.findByText(words);
});

test('a recorded user fills the fields, and its key is called a pseudonym', async () => {
  const context = { user_key: 'anon-1', attributes: { plan: 'pro', orders: 3 } };
  const meta = { page: 1, per_page: 100, total: 1, is_recording: true };
  const path = 'GET /api/v1/environments/env_production/recorded-contexts';
  const { user } = await renderPage(<WhyPage />, {
    address: '/?flag=checkout',
    answers: {
      ...answers,
      [path]: () => ({ data: [{ recorded_at: '2026-11-20T10:00:00.000Z', context }], meta }),
    },
  });
  await user.click(screen.getByRole('button', { name: 'Recorded users' }));
  await user.click(await screen.findByRole('button', { name: 'anon-1' }));
  await screen.findByText('Rule 1, Pro customers matches.');
  screen.getByText(/pseudonym/);
  expect(screen.getByLabelText<HTMLInputElement>('Value of orders').value).toBe('3');
});
