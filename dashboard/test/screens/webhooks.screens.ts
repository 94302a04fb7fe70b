import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';
import { dialog } from './steps.ts';

const openFailing = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Warehouse sync' }).click();
  await page.getByText('It fails:').waitFor();
  await page.getByRole('row').nth(1).waitFor();
};

export const screens: readonly Screen[] = [
  { name: 'webhooks', path: 'webhooks', isViewport: true },
  { name: 'webhooks-viewer', path: 'webhooks', as: 'viewer', isViewport: true },
  { name: 'webhooks-new', path: 'webhooks?open=new', isViewport: true },
  { name: 'webhook-failing', path: 'webhooks', prepare: openFailing, isViewport: true },
  {
    name: 'webhook-message',
    path: 'webhooks',
    isViewport: true,
    prepare: async (page) => {
      await openFailing(page);
      await page.getByRole('row').nth(1).getByRole('link').click();
      await page.getByRole('dialog').getByText('Attempt 1', { exact: true }).waitFor();
    },
  },
  {
    name: 'webhook-secret',
    path: 'webhooks?open=new',
    isViewport: true,
    prepare: async (page) => {
      await page.getByLabel('Address').fill('https://hooks.example.com/chat');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('dialog', { name: 'The secret, shown this once' }).waitFor();
    },
  },
  ...['replay', 'rotate', 'delete', 'edit'].map((name) => ({
    name: `webhook-${name}`,
    path: 'webhooks',
    isViewport: true,
    prepare: async (page: Page) => {
      await openFailing(page);
      await page.goto(`${page.url()}?open=${name}`);
      await dialog(page);
    },
  })),
];
