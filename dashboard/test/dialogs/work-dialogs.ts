import type { Page } from 'playwright-core';
import type { ShopBrowser } from '../harness/visit-shop.ts';
import type { DialogVisit } from './dialog-visit.ts';

const LAYOUT = 'flags/checkout-layout?rules=staging';
const SEGMENT = 'segments/beta-testers';

/** Changes the first rule of the shown environment, so that the bar that saves is there. */
async function editRule(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Edit Rule 1/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Other name');
  await page.getByRole('button', { name: 'Save 1 change' }).waitFor();
}

async function changeDescription(page: Page): Promise<void> {
  await page.getByLabel('What it is for').fill('Customers who asked to try what is new.');
  await page.getByRole('button', { name: /^Save/ }).waitFor();
}

/** Makes a revision to go back to. */
async function saveSegment({ shop }: ShopBrowser): Promise<void> {
  const api = await shop.api('admin');
  const segments = await api.segments.list(shop.projectId, { per_page: 100 });
  const { id } = segments.find(({ key }) => key === 'beta-testers')!;
  const session = await api.breakGlass.open({
    scope: { project_ids: [shop.projectId] },
    justification: 'The tests of dialogs need two revisions.',
    duration_minutes: 15,
  });
  await api.segments.update(id, { description: 'Earlier' }, { breakGlass: session.id });
  await api.breakGlass.close(session.id);
}

const confirmChanges = async ({ shop }: ShopBrowser): Promise<unknown> =>
  (await shop.api('admin')).environments.update(shop.environments.staging, { confirm_changes: true });

/** Opens the webhook of the shop that fails. */
const openWebhook = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Warehouse sync' }).click();
  await page.getByRole('row').nth(1).waitFor();
};

const asksForPassword = (page: Page): Promise<unknown> =>
  page.route(/\/api\/v1\/flags\/[^/]+\/permanent|\/api\/v1\/flags\/[^/]+\?.*dry_run=true/, (route) =>
    route.fulfill({
      status: 403,
      json: { error: { code: 'REAUTHENTICATION_REQUIRED', message: 'Confirm your password.', details: {} } },
    }),
  );

const MORE = 'More for this flag';

export const workDialogs: readonly DialogVisit[] = [
  {
    source: 'app/palette/palette Palette',
    path: 'changes',
    keys: 'Control+K',
    // The arrow keys of the field scroll the list.
    ignored: ['scrollable-region-focusable'],
  },
  { source: 'app/shortcuts/shortcuts-dialog ShortcutsDialog', path: 'changes', keys: '?' },
  { source: 'audit/audit-details AuditDetails', path: 'changes?q=checkout-layout', press: ['Flag created'] },
  { source: 'flags/new-flag-dialog NewFlagDialog', path: 'flags', press: ['New flag'] },
  {
    source: 'flags/bulk/bulk-dialog BulkDialog',
    path: 'flags?tag=search',
    prepare: async (page) => page.locator('tbody').getByRole('checkbox').first().check(),
    press: ['Add tags'],
  },
  { source: 'flags/views/view-options ViewOptions', path: 'flags?tag=search', press: ['Save view'] },
  { source: 'flags/views/view-options Columns', path: 'flags', press: ['Columns'] },
  { source: 'flag/compare/compare-dialog CompareDialog', path: LAYOUT, press: [/^Compare/] },
  { source: 'flag/details/details-drawer DetailsDrawer', path: LAYOUT, press: [MORE, /Edit details/] },
  { source: 'flag/variations/variations-drawer VariationsDrawer', path: LAYOUT, press: ['Edit variations'] },
  { source: 'flag/history/restore-dialog RestoreDialog', path: LAYOUT, press: [/^Restore revision/] },
  { source: 'flag/lifecycle/step-dialog StepDialog', path: LAYOUT, press: [MORE, /^Archive/] },
  { source: 'flag/lifecycle/delete-dialog DeleteDialog', path: 'flags/cart-badge', press: [MORE, /^Delete/] },
  {
    source: 'app/reauthenticate/password-dialog PasswordDialog',
    path: 'flags/cart-badge',
    prepare: asksForPassword,
    press: [MORE, /^Delete/],
  },
  {
    source: 'flag/needs/need-dialog NeedDialog',
    path: LAYOUT,
    press: ['Add a flag that is needed first'],
  },
  { source: 'flag/planned/plan-dialog PlanDialog', path: LAYOUT, press: ['Plan a change'] },
  {
    source: 'flag/rules/save-rules ConfirmSave',
    path: 'flags/delivery-hour?rules=staging',
    arrange: confirmChanges,
    prepare: editRule,
    press: ['Save 1 change'],
  },
  {
    source: 'flag/switch-dialog SwitchDialog',
    path: 'flags/cart-save',
    press: ['Save cart for later in Production'],
  },
  { source: 'freezes/break-glass-dialog BreakGlassDialog', path: 'freezes', press: ['Break glass'] },
  { source: 'freezes/window-dialog WindowForm', path: 'freezes', press: ['New window'] },
  { source: 'freezes/window-dialog WindowDialog', path: 'freezes?window=frz_00000000000000000000000000' },
  { source: 'freezes/window-cards EndDialog', path: 'freezes', press: [/^End early/] },
  { source: 'freezes/window-cards CancelDialog', path: 'freezes', press: [/^Cancel it: /] },
  { source: 'segments/create-dialog CreateDialog', path: 'segments', press: ['New segment'] },
  { source: 'segments/key-list-card AddKeysDialog', path: SEGMENT, press: ['Add keys'] },
  { source: 'segments/delete-dialog DeleteDialog', path: SEGMENT, press: ['Delete…'] },
  {
    source: 'segments/delete-dialog DeleteDialog',
    path: 'segments/new-customers',
    press: ['Delete…'],
  },
  {
    source: 'segments/save-dialog SaveDialog',
    path: SEGMENT,
    prepare: changeDescription,
    press: [/^Save/],
  },
  {
    source: 'segments/restore-dialog RestoreDialog',
    path: SEGMENT,
    arrange: saveSegment,
    press: [/^Restore/],
  },
  {
    source: 'start/path/path-page Steps',
    as: 'secondAdmin',
    path: '',
    prepare: async (page) => {
      const connect = page.getByRole('button', { name: 'Connect an app' });
      await connect
        .or(page.getByRole('button', { name: 'Leave for now' }))
        .first()
        .waitFor();
      if (await connect.isVisible()) await connect.click();
      await page.getByRole('button', { name: /^Make a(nother)? key/ }).click();
      await page.locator('code', { hasText: 'export FLAGSVC_API_KEY=' }).waitFor();
    },
    press: ['Changes'],
  },
  { source: 'webhooks/webhook-dialog WebhookDialog', path: 'webhooks', press: ['New webhook'] },
  {
    source: 'webhooks/secret-dialog SecretDialog',
    path: 'webhooks?open=new',
    prepare: async (page) => page.getByLabel('Address').fill('https://hooks.example.com/chat'),
    press: ['Create webhook'],
    returns: false,
  },
  {
    source: 'webhooks/message-drawer MessageDrawer',
    path: 'webhooks',
    prepare: async (page) => {
      await openWebhook(page);
      await page.getByRole('row').nth(1).getByRole('link').focus();
    },
    keys: 'Enter',
  },
  {
    source: 'why/recorded-dialog RecordedDialog',
    path: 'why?flag=checkout-layout&environment=staging',
    press: ['Recorded users'],
  },
  {
    source: 'app/session/sign-in-again SignInAgain',
    as: 'editor',
    path: 'changes',
    prepare: async (page, { shop }) => {
      await (await shop.api('editor')).sessions.revokeOthers();
      await page
        .locator(`a[href="${new URL(shop.href(`flags`)).pathname}"]`)
        .first()
        .focus();
    },
    keys: 'Enter',
    stays: true,
  },
];
