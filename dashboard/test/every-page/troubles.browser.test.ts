import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNoSidewaysScrolling, expectNoViolations } from '../harness/browser.ts';
import { hostileTexts } from '../harness/hostile-texts.ts';
import { isForMembers, registeredPages } from '../harness/registered-pages.ts';
import { emptyPages, failPages, renameEverything } from '../harness/traffic.ts';
import { visitPage } from '../harness/visit-page.ts';
import { visitShop } from '../harness/visit-shop.ts';

const at = visitShop();
const pages = (await registeredPages()).filter(isForMembers);

test.each(pages)('$id is whole when there is nothing', async (definition) => {
  const { page } = await visitPage(at, definition, { before: emptyPages });
  await expectNoViolations(page);
});

test.each(pages)('$id says what failed, and a second attempt works', async (definition) => {
  let mend: (() => Promise<void>) | undefined;
  const before = async (page: Page): Promise<void> => {
    mend = await failPages(page);
  };
  const { page, traffic } = await visitPage(at, definition, { before });
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' });
  if ((await retry.count()) === 0) {
    // Only a page that asks for nothing of its own may look as ever.
    const { page: whole } = await visitPage(at, definition);
    expect(await textOf(page)).toBe(await textOf(whole));
    return;
  }
  await expectNoViolations(page);
  await mend!();
  // Each attempt can show a further part that had failed.
  for (let left = 12; left > 0 && (await retry.count()) > 0; left--) {
    // A part can come back by itself.
    await retry
      .first()
      .click({ timeout: 3_000 })
      .catch(() => undefined);
    await traffic.settled();
  }
  expect(await retry.count()).toBe(0);
});

const textOf = (page: Page): Promise<string> =>
  page.getByRole('main').evaluate((main) => (main as HTMLElement).innerText.replaceAll(/\d+/g, '0'));

const texts = hostileTexts();
let shown = 0;

test.each(pages)('$id shows hostile names as they are', async (definition) => {
  const next = (): string => texts[shown++ % texts.length]!;
  const before = (page: Page) => renameEverything(page, next);
  const { page } = await visitPage(at, definition, { width: 390, before });
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  await expectNoSidewaysScrolling(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expectNoSidewaysScrolling(page);
  await expectNoViolations(page, ['light']);
});

test('all hostile texts were shown', () => {
  expect(texts.length).toBeGreaterThanOrEqual(600);
  expect(shown).toBeGreaterThanOrEqual(texts.length);
});
