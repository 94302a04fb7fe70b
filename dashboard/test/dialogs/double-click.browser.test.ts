import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visitShop } from '../harness/visit-shop.ts';
import { PASSWORD } from '../shop/people.ts';
import { settingsDialogs } from './settings-dialogs.ts';
import { DIALOG, openDialog } from './visit-dialog.ts';
import { workDialogs } from './work-dialogs.ts';

const at = visitShop({ env: { FLAGSVC_RATE_LIMITS: 'auth=1000' } });

/** Dialogs whose first button ends something that the shop has. */
const LISTED = [
  ...['flag/switch-dialog SwitchDialog', 'freezes/break-glass-dialog BreakGlassDialog'],
  ...['api-keys/revoke-dialog RevokeDialog', 'environments/end-dialogs DeleteDialog'],
  ...['members/invite-dialogs RevokeDialog', 'members/remove-dialog RemoveDialog'],
  ...['personal-tokens/revoke-dialog Question', 'service-accounts/token-dialogs RevokeDialog'],
];
const listed = [...workDialogs, ...settingsDialogs].filter(({ source }) => LISTED.includes(source));

test('each dialog of the list is there', () => {
  expect(new Set(listed.map(({ source }) => source)).size).toBe(LISTED.length);
});

test.each(listed)('a double click in $source acts once', async (visit) => {
  await visit.arrange?.(at);
  const page = await at.open(visit.as ?? 'admin', visit.path);
  await visit.prepare?.(page, at);
  await openDialog(page, visit);
  const dialog = page.locator(DIALOG).last();
  await dialog.waitFor();
  await fillIn(page);
  const sent = watchWrites(page);
  const button = dialog.locator('button:is([class*="_danger_"], [class*="_main_"])').first();
  await expect.poll(() => button.getAttribute('aria-disabled')).not.toBe('true');
  await button.dblclick();
  await expect.poll(() => sent.length).toBeGreaterThan(0);
  await dialog.waitFor({ state: 'detached' });
  await page.waitForTimeout(300);
  expect(sent).toEqual([...new Set(sent)]);
});

/** Fills what the dialog asks for: the name that it shows, or a reason and the password. */
async function fillIn(page: Page): Promise<void> {
  const dialog = page.locator(DIALOG).last();
  for (const field of await dialog.locator('input:is([type=text], [type=password]), textarea').all()) {
    if (!(await field.isVisible()) || (await field.inputValue()) !== '') continue;
    const id = await field.getAttribute('id');
    const label = await dialog.locator(`label[for="${id}"]`).innerText();
    if ((await field.getAttribute('type')) === 'password') await field.fill(PASSWORD);
    else if (/^Type /.test(label)) await field.fill(/^Type (\S+)/.exec(label)![1]!);
    else if ((await field.getAttribute('role')) !== 'combobox')
      await field.fill('A reason that is long enough.');
  }
}

/** The calls that change something, from now on. They take a moment, as they do far from the server. */
function watchWrites(page: Page): readonly string[] {
  const sent: string[] = [];
  void page.route(/\/(api|auth)\//, async (route) => {
    const request = route.request();
    const isWrite = request.method() !== 'GET' && !/dry_run=true|\/preview|\/refresh/.test(request.url());
    if (isWrite) {
      sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
      await page.waitForTimeout(400).catch(() => undefined);
    }
    await route.fallback().catch(() => undefined);
  });
  return sent;
}
