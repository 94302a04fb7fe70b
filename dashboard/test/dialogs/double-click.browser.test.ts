import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { booleanFlag } from '../../../reference-server/test/server.ts';
import { type ShopBrowser, visitShop } from '../harness/visit-shop.ts';
import { PASSWORD } from '../shop/people.ts';
import type { DialogVisit } from './dialog-visit.ts';
import { settingsDialogs } from './settings-dialogs.ts';
import { DIALOG, openDialog } from './visit-dialog.ts';
import { workDialogs } from './work-dialogs.ts';

const at = visitShop({ env: { FLAGSVC_RATE_LIMITS: 'auth=1000' } });

/** Dialogs whose first button ends something that the shop has. */
const LISTED = [
  ...['flag/lifecycle/delete-dialog DeleteDialog', 'flag/switch-dialog SwitchDialog'],
  ...['freezes/break-glass-dialog BreakGlassDialog', 'freezes/window-cards CancelDialog'],
  ...['freezes/window-cards EndDialog', 'api-keys/revoke-dialog RevokeDialog'],
  ...['environments/end-dialogs DeleteDialog', 'members/invite-dialogs RevokeDialog'],
  ...['members/remove-dialog RemoveDialog', 'personal-tokens/revoke-dialog Question'],
  ...['service-accounts/token-dialogs RevokeDialog', 'sessions/end-others-dialog EndOthersDialog'],
];
/** The freeze ends first, since it would stop some of the others. */
const isEnd = ({ source }: DialogVisit): boolean =>
  source.endsWith('EndDialog') && source.startsWith('freezes');
const listed = [...workDialogs, ...settingsDialogs]
  .filter(({ source }) => LISTED.includes(source))
  .toSorted((left, right) => Number(isEnd(right)) - Number(isEnd(left)));

const robot = (name: string, press: string): DialogVisit => ({
  source: `service-accounts/account-end-dialogs ${press}`,
  path: 'settings/service-accounts',
  arrange: async ({ shop }: ShopBrowser) =>
    (await shop.api('admin')).serviceAccounts.create({ name, role: 'viewer' }),
  press: [name, `More for ${name}`, press],
});

/** Things that the shop lacks, or needs for other tests. */
const made: readonly DialogVisit[] = [
  {
    source: 'flag/lifecycle/step-dialog StepDialog',
    path: 'flags/made-to-go?rules=development',
    arrange: async ({ shop }: ShopBrowser) => {
      const api = (await shop.api('admin')).in(shop.environments.development);
      await api.flags.create(booleanFlag('made-to-go'));
    },
    press: ['More for this flag', /^Archive/],
  },
  {
    source: 'environments/end-dialogs ArchiveDialog',
    path: 'settings/environments',
    arrange: async ({ shop }: ShopBrowser) => {
      const body = { key: 'made-to-go', name: 'Made to go', type: 'development' as const };
      await (await shop.api('admin')).environments.create(shop.projectId, body);
    },
    press: ['Actions for Made to go', 'Archive'],
  },
  {
    source: 'segments/delete-dialog DeleteDialog',
    path: 'segments/made-to-go',
    arrange: async ({ shop }: ShopBrowser) => {
      const body = { key: 'made-to-go', name: 'Made to go', conditions: [] };
      await (await shop.api('admin')).segments.create(shop.projectId, body);
    },
    press: ['Delete…'],
  },
  robot('Robot one', 'Disable'),
  robot('Robot two', 'Delete'),
];

test('each dialog of the list is there', () => {
  expect(new Set(listed.map(({ source }) => source)).size).toBe(LISTED.length);
});

test.each([...listed, ...made])('a double click in $source acts once', async (visit) => {
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
  if (visit.source.startsWith('sessions/')) at.forget('admin');
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
