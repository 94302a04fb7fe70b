import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

type Prepare = NonNullable<Screen['prepare']>;

/** Waits for a dialog or a question. */
export const dialog: Prepare = async (page) =>
  void (await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor());

/** Follows a link, then presses buttons, menu items or links of these names, and waits for a dialog. */
export function pressing(...names: readonly (string | RegExp)[]): Prepare {
  return async (page) => {
    for (const name of names) await press(page, name);
    await dialog(page);
  };
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  const what = typeof name === 'string' ? { name, exact: true } : { name };
  await page
    .getByRole('button', what)
    .or(page.getByRole('menuitem', what))
    .or(page.getByRole('link', what))
    .first()
    .click();
}
