import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

/** A customer of whom the saved and the edited answer differ. */
const CONTEXT = {
  user_key: 'u-20409',
  attributes: { plan: 'pro', country: 'LU', app_version: '4.1.3' },
};
const link = (search: string, context: object = CONTEXT) =>
  `why?${search}#context=${encodeURIComponent(JSON.stringify(context))}`;

const answered = (page: Page) => page.getByRole('heading', { name: /^Saved/ }).waitFor();

/** Edits the second rule on the page of the flag, so that Luxembourg is one of its countries. */
async function editRule(page: Page): Promise<void> {
  const { pathname } = new URL(page.url());
  const project = pathname.slice(0, pathname.lastIndexOf('/'));
  const back = page.url();
  await page.goto(new URL(`${project}/flags/checkout-layout?rules=staging`, page.url()).href);
  await page.getByRole('button', { name: /^Edit Rule 2/ }).click();
  const values = page.getByLabel('Value of condition 2');
  await values.fill('LU');
  await values.press('Enter');
  await page.goto(back);
  await page.getByRole('heading', { name: /^With your changes/ }).waitFor();
}

export const screens: readonly Screen[] = [
  {
    name: 'why',
    path: link('flag=checkout-layout&environment=staging'),
    prepare: editRule,
  },
  {
    name: 'why-saved',
    path: link('flag=member-prices&environment=production'),
    prepare: answered,
    widths: [1440],
  },
  { name: 'why-no-flag', path: 'why?environment=staging', widths: [1440] },
  {
    name: 'why-json',
    path: 'why?flag=checkout-layout&environment=production',
    widths: [1440],
    prepare: async (page) => {
      await page.getByRole('radio', { name: 'JSON' }).click();
      await page.getByLabel('Context as JSON').fill('{ "user_key": "ada", "plan": "pro" }');
    },
  },
  {
    name: 'why-recorded',
    path: 'why?flag=checkout-layout&environment=staging',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Recorded users' }).click();
      await page.getByRole('dialog').getByRole('table').waitFor();
    },
  },
];
