import type { Screen } from './screen.ts';
import { dialog, pressing } from './steps.ts';

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
  {
    name: 'members-remove',
    path: 'settings/members',
    isViewport: true,
    prepare: pressing('Actions for Jonas Weber', /^Remove/),
  },
  {
    name: 'members-resend',
    path: 'settings/members',
    isViewport: true,
    prepare: async (page) => {
      await pressing(/^Send again: /)(page);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Send again' }).click();
      await page.getByRole('dialog', { name: /^Give this link/ }).waitFor();
    },
  },
  {
    name: 'members-revoke',
    path: 'settings/members',
    isViewport: true,
    prepare: pressing(/^Revoke: /),
  },
  {
    name: 'service-accounts-new',
    path: 'settings/service-accounts?do=new',
    isViewport: true,
    prepare: dialog,
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
  ...['Disable', 'Delete'].map((entry) => ({
    name: `service-account-${entry.toLowerCase()}`,
    path: 'settings/service-accounts',
    isViewport: true,
    prepare: pressing('CI', 'More for CI', entry),
  })),
  ...['Rotate', 'Revoke'].map((verb) => ({
    name: `service-account-${verb.toLowerCase()}`,
    path: 'settings/service-accounts',
    isViewport: true,
    prepare: pressing('CI', new RegExp(`^${verb} GitHub`)),
  })),
  { name: 'environments', path: 'settings/environments' },
  { name: 'environments-kept', path: 'settings/environments', as: 'keptEditor', widths: [1440] },
  { name: 'environments-new', path: 'settings/environments?do=new', isViewport: true, prepare: dialog },
  {
    name: 'environments-archive',
    path: 'settings/environments?do=archive&about=production',
    isViewport: true,
    prepare: dialog,
  },
  {
    name: 'environments-edit',
    path: 'settings/environments?do=edit&about=staging',
    isViewport: true,
    prepare: dialog,
  },
  { name: 'environments-archived', path: 'settings/environments?show=archived', widths: [1440] },
  { name: 'projects', path: 'settings/projects' },
  { name: 'projects-new', path: 'settings/projects?do=new', isViewport: true, prepare: dialog },
  {
    name: 'projects-archive',
    path: 'settings/projects?do=archive&about=default',
    isViewport: true,
    prepare: dialog,
  },
];
