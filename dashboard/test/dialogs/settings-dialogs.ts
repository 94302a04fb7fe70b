import type { Page } from 'playwright-core';
import { totpCode, totpStep } from '../../../reference-server/src/control-plane/features/auth/mfa/totp.ts';
import type { ShopBrowser } from '../harness/visit-shop.ts';
import type { DialogVisit } from './dialog-visit.ts';

const typeName = (page: Page): Promise<void> => page.getByLabel('Name', { exact: true }).fill('Printer');

/** Opens the account of the shop's service accounts that has a token. */
const openAccount = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'CI', exact: true }).click();
  await page.getByRole('button', { name: /^Rotate GitHub/ }).waitFor();
};

async function archiveProject({ shop }: ShopBrowser): Promise<void> {
  const api = await shop.api('admin');
  const environments = [{ key: 'live', name: 'Live', type: 'production' as const }];
  const { id, key } = await api.projects.create({ key: 'old-shop', name: 'Old shop', environments });
  await api.projects.archive(id, { confirm_key: key });
}

/** Makes and archives an environment, once. */
let isArchived = false;
async function archiveEnvironment({ shop }: ShopBrowser): Promise<void> {
  if (isArchived) return;
  isArchived = true;
  const api = await shop.api('admin');
  const body = { key: 'old-test', name: 'Old test', type: 'development' as const };
  const { id } = await api.environments.create(shop.projectId, body);
  await api.environments.archive(id, {});
}

const KEYS = 'settings/api-keys';
const MEMBERS = 'settings/members';
const ACCOUNTS = 'settings/service-accounts';
const ENVIRONMENTS = 'settings/environments';
const PROJECTS = 'settings/projects';

export const settingsDialogs: readonly DialogVisit[] = [
  { source: 'api-keys/api-keys-page KeyDialogs', path: `${KEYS}?do=edit&key=gone` },
  { source: 'api-keys/key-dialog KeyDialog', path: KEYS, press: ['New key'] },
  { source: 'api-keys/revoke-dialog RevokeDialog', path: KEYS, press: [/^Revoke storefront/] },
  { source: 'api-keys/rotate-dialog RotateDialog', path: KEYS, press: [/^Rotate storefront/] },
  {
    source: 'app/secrets/shown-once ShownOnce',
    path: `${KEYS}?do=new`,
    prepare: async (page) => {
      await page.getByRole('dialog').getByLabel('Name').fill('Printer');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Key “Printer” made' }).waitFor();
    },
    press: ['Done, hide it'],
  },
  { source: 'environments/new-dialog NewDialog', path: ENVIRONMENTS, press: ['New environment'] },
  {
    source: 'environments/edit-dialog EditDialog',
    path: ENVIRONMENTS,
    press: ['Actions for Staging', 'Edit'],
  },
  {
    source: 'environments/end-dialogs ArchiveDialog',
    path: ENVIRONMENTS,
    press: ['Actions for Staging', 'Archive'],
  },
  {
    source: 'environments/end-dialogs RestoreDialog',
    path: `${ENVIRONMENTS}?show=archived`,
    arrange: archiveEnvironment,
    press: [/^Restore: /],
  },
  {
    source: 'environments/end-dialogs DeleteDialog',
    path: `${ENVIRONMENTS}?show=archived`,
    arrange: archiveEnvironment,
    press: [/^Delete for ever: /],
  },
  {
    source: 'environments/environment-dialogs EnvironmentDialogs',
    path: `${ENVIRONMENTS}?do=edit&about=gone`,
  },
  { source: 'members/invite-dialogs InviteDialog', path: MEMBERS, press: ['Invite'] },
  { source: 'members/edit-dialog EditDialog', path: MEMBERS, press: ['Aiko Tanaka'] },
  {
    source: 'members/remove-dialog RemoveDialog',
    path: MEMBERS,
    press: ['Actions for Jonas Weber', /^Remove/],
  },
  {
    source: 'members/reset-factor-dialog ResetFactorDialog',
    path: MEMBERS,
    prepare: async (page, { shop }) => {
      const members = await (await shop.api('admin')).members.list(shop.organizationId);
      const { id } = members.find(({ user }) => user.full_name === 'Jonas Weber')!;
      await page.goto(shop.href(`${MEMBERS}?do=reset-factor&member=${id}`));
    },
  },
  { source: 'members/invite-dialogs ResendDialog', path: MEMBERS, press: [/^Send again: /] },
  { source: 'members/invite-dialogs RevokeDialog', path: MEMBERS, press: [/^Revoke: /] },
  {
    source: 'members/invite-dialogs LinkDialog',
    path: MEMBERS,
    press: [/^Send again: /, 'Send again'],
    returns: false,
  },
  { source: 'members/member-dialogs Gone', path: `${MEMBERS}?do=edit&member=gone` },
  { source: 'personal-tokens/token-dialog TokenDialog', path: '/settings/tokens', press: ['New token'] },
  { source: 'personal-tokens/revoke-dialog Question', path: '/settings/tokens', press: ['Revoke Laptop'] },
  { source: 'personal-tokens/revoke-dialog RevokeDialog', path: '/settings/tokens?do=revoke&token=gone' },
  { source: 'projects/new-project-dialog NewProjectDialog', path: PROJECTS, press: ['New project'] },
  {
    source: 'projects/project-dialogs ArchiveDialog',
    path: PROJECTS,
    press: [/^Actions for .*Market|^Actions for/, 'Archive'],
  },
  {
    source: 'projects/project-dialogs RestoreDialog',
    path: `${PROJECTS}?show=archived`,
    arrange: archiveProject,
    press: [/^Restore: /],
  },
  { source: 'projects/project-dialogs ProjectDialogs', path: `${PROJECTS}?do=archive&about=gone` },
  {
    source: 'service-accounts/new-account-dialog NewAccountDialog',
    path: ACCOUNTS,
    press: ['New service account'],
  },
  {
    source: 'service-accounts/edit-dialog EditDialog',
    path: ACCOUNTS,
    prepare: openAccount,
    press: ['Edit'],
  },
  {
    source: 'service-accounts/account-end-dialogs DisableDialog',
    path: ACCOUNTS,
    prepare: openAccount,
    press: ['More for CI', 'Disable'],
  },
  {
    source: 'service-accounts/account-end-dialogs DeleteDialog',
    path: ACCOUNTS,
    prepare: openAccount,
    press: ['More for CI', 'Delete'],
  },
  {
    source: 'service-accounts/account-dialogs AccountDialogs',
    path: ACCOUNTS,
    prepare: async (page) => {
      await openAccount(page);
      await page.goto(`${page.url()}?do=rotate&token=gone`);
    },
  },
  {
    source: 'service-accounts/token-dialogs NewTokenDialog',
    path: ACCOUNTS,
    prepare: openAccount,
    press: ['New token'],
  },
  {
    source: 'service-accounts/token-dialogs RotateDialog',
    path: ACCOUNTS,
    prepare: openAccount,
    press: [/^Rotate GitHub/],
  },
  {
    source: 'service-accounts/token-dialogs RevokeDialog',
    path: ACCOUNTS,
    prepare: openAccount,
    press: [/^Revoke GitHub/],
  },
  {
    source: 'service-accounts/token-dialogs SecretDialog',
    path: ACCOUNTS,
    prepare: async (page) => {
      await openAccount(page);
      await page.getByRole('button', { name: 'New token' }).click();
      await typeName(page);
    },
    press: ['Make the token'],
    returns: false,
  },
  { source: 'sessions/end-dialog EndDialog', path: '/settings/sessions', press: [/^End .*Chrome/] },
  {
    source: 'sessions/end-others-dialog EndOthersDialog',
    path: '/settings/sessions',
    press: ['End all others'],
  },
  {
    source: 'second-factor/recovery-codes RecoveryCodes',
    as: 'viewer',
    path: '/settings/second-factor',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Set up a second factor' }).click();
      const secret = (await page.locator('main code').first().textContent())!.replaceAll(' ', '');
      await page.getByLabel('Code that the app shows now').fill(totpCode(secret, totpStep(Date.now())));
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
    },
    press: ['Sessions'],
  },
];
