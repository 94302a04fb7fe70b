import type { Screen } from './screen.ts';

const dialog = async (page: Parameters<NonNullable<Screen['prepare']>>[0]): Promise<void> =>
  void (await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor());

export const screens: readonly Screen[] = [
  { name: 'members', path: 'settings/members' },
  { name: 'members-viewer', path: 'settings/members', as: 'viewer', widths: [1440] },
  { name: 'members-invite', path: 'settings/members?do=invite', isViewport: true, prepare: dialog },
  {
    name: 'members-edit',
    path: 'settings/members',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('link', { name: 'Aiko Tanaka' }).click();
      await dialog(page);
      await page.getByRole('checkbox', { name: 'Production' }).first().click({ force: true });
    },
  },
  { name: 'service-accounts', path: 'settings/service-accounts' },
  {
    name: 'service-account',
    path: 'settings/service-accounts',
    prepare: async (page) => {
      await page.getByRole('link', { name: 'CI' }).click();
      await page.getByRole('heading', { name: 'CI' }).waitFor();
    },
  },
  {
    name: 'service-account-token',
    path: 'settings/service-accounts',
    isViewport: true,
    prepare: async (page) => {
      await page.getByRole('link', { name: 'CI' }).click();
      await page.getByRole('button', { name: 'New token' }).click();
      await dialog(page);
    },
  },
  { name: 'environments', path: 'settings/environments' },
  { name: 'environments-kept', path: 'settings/environments', as: 'keptEditor', widths: [1440] },
  { name: 'environments-new', path: 'settings/environments?do=new', isViewport: true, prepare: dialog },
  {
    name: 'environments-archive',
    path: 'settings/environments?do=archive&about=production',
    isViewport: true,
    prepare: dialog,
  },
  { name: 'projects', path: 'settings/projects' },
  { name: 'projects-new', path: 'settings/projects?do=new', isViewport: true, prepare: dialog },
];
