import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

/** The shop knows the tokens of its invitations only as hashes, so the answer is an example. */
async function openInvitation(page: Page): Promise<void> {
  const data = {
    organization_name: 'Northwind Market',
    email: 'lotte@northwind.example',
    role: 'editor',
    invited_by: 'Mara Lindqvist',
    expires_at: '2030-01-01T00:00:00.000Z',
    has_account: false,
  };
  await page.route('**/auth/invitations/inspect', (route) => route.fulfill({ json: { data } }));
  await page.goto(new URL('/accept-invitation#token=example', page.url()).href);
  await page.getByRole('button', { name: 'Join Northwind Market' }).waitFor();
}

// The first run needs an empty installation, which the shop is not.
export const screens: readonly Screen[] = [
  { name: 'register-closed', path: '/register' },
  { name: 'accept-invitation', path: '/forgot-password', prepare: openInvitation },
  { name: 'accept-invitation-over', path: '/accept-invitation#token=example' },
  { name: 'forgot-password', path: '/forgot-password' },
  { name: 'reset-password', path: '/reset-password#token=example' },
  { name: 'link-incomplete', path: '/reset-password' },
];
