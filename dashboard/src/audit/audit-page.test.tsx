import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, renderPage } from '../../test/parts/render-page.tsx';
import type { AuditEntry } from '../api/types.ts';
import { AuditPage } from './audit-page.tsx';

const entry = {
  id: 'evt_1',
  action: 'flag.toggled',
  actor: { kind: 'user', id: 'usr_2', name: 'Aiko Tanaka', email: 'aiko@northwind.example' },
  resource: { type: 'flag', id: 'flg_1', key: 'cart-drawer' },
  environment_id: 'env_production',
  timestamp: new Date().toISOString(),
  changes: [{ field: 'enabled', from: false, to: true }],
  comment: 'Ready for everyone',
  break_glass_id: 'bg_1',
  via: 'dashboard',
  request_id: null,
  ip: null,
} as unknown as AuditEntry;

const log = (entries: readonly AuditEntry[], next: string | null = null) => ({
  data: entries,
  meta: { total: entries.length, next_cursor: next },
});
const LIST = 'GET /api/v1/audit-log';

test('a row says what changed, who did it and where, and that glass was broken', async () => {
  await renderPage(<AuditPage />, { answers: { [LIST]: () => log([entry]) } });
  const row = (await screen.findAllByRole('row'))[1]!;
  for (const text of [
    'Flag switched',
    'cart-drawer',
    'Aiko Tanaka',
    'Production',
    'Broke glass',
    '“Ready for everyone”',
  ])
    expect(within(row).getByText(text)).toBeTruthy();
});

test('a log without entries teaches what will be here', async () => {
  await renderPage(<AuditPage />, { answers: { [LIST]: () => log([]) } });
  await screen.findByText('No changes yet');
});

test('the filter of the address is sent, and can be cleared when nothing fits', async () => {
  const { sent, user, search } = await renderPage(<AuditPage />, {
    address: '/?q=nothing&of=segment',
    answers: { [LIST]: () => log([]) },
  });
  await user.click(await screen.findByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(search()).toEqual({}));
  expect(new URL(sent[0]!.url).searchParams.get('resource_type')).toBe('segment');
  expect(screen.getByRole('searchbox')).toHaveProperty('value', '');
});

test('freezes, emergencies and people belong to no project, so their changes are not asked of one', async () => {
  const { sent } = await renderPage(<AuditPage />, {
    address: '/?of=freeze_window',
    answers: { [LIST]: () => log([entry]) },
  });
  await screen.findByText('cart-drawer');
  const { searchParams } = new URL(sent[0]!.url);
  expect([searchParams.get('resource_type'), searchParams.get('project_id')]).toEqual([
    'freeze_window',
    null,
  ]);
});

test.each([
  ['admin', true],
  ['editor', false],
] as const)('%s is offered the changes of the organization: %s', async (role, isOffered) => {
  const { user } = await renderPage(<AuditPage />, { role, answers: { [LIST]: () => log([entry]) } });
  await user.click(await screen.findByRole('button', { name: /All of the project/ }));
  await screen.findByRole('option', { name: 'segment' });
  expect(screen.queryByRole('option', { name: /member/ }) !== null).toBe(isOffered);
});

test('an unknown filter of the address is left out', async () => {
  const { sent } = await renderPage(<AuditPage />, {
    address: '/?of=nonsense',
    answers: { [LIST]: () => log([entry]) },
  });
  await screen.findByText('cart-drawer');
  expect(new URL(sent[0]!.url).searchParams.has('resource_type')).toBe(false);
});

test('a refused log says why and offers another attempt', async () => {
  let isBroken = true;
  const { user } = await renderPage(<AuditPage />, {
    answers: { [LIST]: () => (isBroken ? refusal(500, 'INTERNAL_ERROR') : log([entry])) },
  });
  await screen.findByText('Something went wrong on the server');
  isBroken = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('cart-drawer');
});

test('more entries come from the cursor and stay below the first', async () => {
  const second = {
    ...entry,
    id: 'evt_2',
    resource: { type: 'flag', id: 'flg_2', key: 'cart-save' },
  } as AuditEntry;
  const { user, sent } = await renderPage(<AuditPage />, {
    answers: { [LIST]: ({ url }) => (url.includes('cursor=abc') ? log([second]) : log([entry], 'abc')) },
  });
  await user.click(await screen.findByRole('button', { name: 'Show more' }));
  await screen.findByText('cart-save');
  expect(screen.getByText('cart-drawer')).toBeTruthy();
  expect(sent.filter(({ url }) => url.includes('audit-log'))).toHaveLength(2);
});
