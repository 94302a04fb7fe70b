import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

interface Document {
  readonly flags: { name?: string; default_variation?: string; environments?: object }[];
}

const choose = async (page: Page, name: string, text: string): Promise<void> => {
  const file = { name, mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Show what would change' }).click();
};
const withFlag = (document: Document, part: object): string => {
  const [first, ...others] = document.flags;
  return JSON.stringify({ ...document, flags: [{ ...first, ...part }, ...others] });
};

test('an admin exports the project, finds no difference, and imports a change as a whole', async () => {
  const page = await at.open('admin', 'settings/import-export');
  await expectNoViolations(page);
  await page.getByLabel('Format', { exact: true }).click();
  await page.getByRole('option', { name: 'flagsvc, as JSON' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const text = await readFile((await (await download).path())!, 'utf8');
  const document = JSON.parse(text) as Document;
  expect(text).not.toMatch(/sdk-(dev|stg|prod)|whsec_/);
  await choose(page, 'same.json', text);
  await page.getByText('The project is already as the file says').waitFor();

  const before = document.flags[0]!.name!;
  await choose(page, 'broken.json', withFlag(document, { default_variation: 'nope' }));
  await page.getByRole('row').filter({ hasText: 'flags.0.default_variation' }).waitFor();
  await expectNoViolations(page);
  await choose(page, 'cut.yaml', 'flags: [');
  await page.getByText('Line 1').waitFor();

  await choose(page, 'changed.json', withFlag(document, { name: 'Imported <b>name</b>' }));
  const plan = page.getByRole('region', { name: 'What changes' });
  await plan.getByText('Imported <b>name</b>').waitFor();
  await expectNoViolations(page);
  // Somebody else changes the project before the plan is applied.
  const api = await at.shop.api('secondAdmin');
  await api.environments.update(at.shop.environments.development, { name: 'Development 2' });
  await plan.getByRole('button', { name: 'Import 1 change' }).click();
  await page.getByText('Somebody changed the project since you looked').waitFor();
  await page.getByRole('button', { name: 'Check again' }).click();
  await plan.getByRole('button', { name: 'Import 1 change' }).click();
  await page.getByText('Imported: 1 change').waitFor();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Import another file' }).click();
  await choose(page, 'back.json', text);
  await plan.getByText(before).waitFor();
});

test('a freeze refuses the import before anything is written, and says which change', async () => {
  const page = await at.open('admin', 'settings/import-export');
  const flag = {
    key: 'blocked-by-the-freeze',
    flag_type: 'boolean',
    variations: [
      { key: 'on', value: true },
      { key: 'off', value: false },
    ],
    default_variation: 'off',
  };
  await choose(
    page,
    'new.json',
    JSON.stringify({ apiVersion: 'flagsvc/v1', kind: 'Project', flags: [flag] }),
  );
  await page.getByText('1 change is refused').waitFor();
  await page.getByText(/freezes Production until/).waitFor();
  expect(await page.getByRole('button', { name: 'Import 1 change' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await expectNoViolations(page);
});

test('a viewer can export and cannot import', async () => {
  const page = await at.open('viewer', 'settings/import-export');
  await page.getByText('Editors and admins import').waitFor();
  await page.getByRole('button', { name: 'Download' }).waitFor();
  expect(await page.locator('input[type=file]').count()).toBe(0);
});

test('an admin sees the health of the instance and why no mail is sent', async () => {
  const page = await at.open('admin', '/settings/instance');
  await page.getByRole('table', { name: 'Nightly jobs' }).waitFor();
  await page.getByRole('button', { name: 'Send a test mail' }).click();
  await page.getByRole('alert').getByText('FLAGSVC_SMTP_URL').waitFor();
  await expectNoViolations(page);
  const other = await at.open('viewer', '/settings/instance');
  await other.getByText('Admins also see').waitFor();
  expect(await other.getByRole('button', { name: 'Send a test mail' }).count()).toBe(0);
});

test('the page of the modes marks what this installation has', async () => {
  const page = await at.open('viewer', '/settings/modes');
  await page.getByText('This installation', { exact: true }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Single sign-on' }).getByText('Not here').waitFor();
  await expectNoViolations(page);
});
