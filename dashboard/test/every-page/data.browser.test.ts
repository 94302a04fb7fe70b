import { expect, test } from 'vitest';
import { expectNoSidewaysScrolling, expectNoViolations } from '../harness/browser.ts';
import { registeredPages } from '../harness/registered-pages.ts';
import { visitPage } from '../harness/visit-page.ts';
import { visitShop } from '../harness/visit-shop.ts';

const at = visitShop({ keepsContexts: true });

test.each(await registeredPages())('$id shows its data to an admin without a fault', async (definition) => {
  const { page, traffic } = await visitPage(at, definition);
  // Nobody is signed in on the pages before a session, and the token of their links is an example.
  const expected = /\/auth\/(refresh|invitations\/inspect)$/;
  expect(traffic.refusals.filter((one) => !expected.test(one))).toEqual([]);
  expect(await page.title()).toMatch(/.+ · flagsvc$/);
  expect(await page.locator('h1').count()).toBe(1);
  // An icon that this page never loaded.
  expect(await page.locator('svg path:not([d])').count()).toBe(0);
  await expectNoViolations(page);
});

test.each(await registeredPages())('$id fits a phone', async (definition) => {
  const { page } = await visitPage(at, definition, { width: 390 });
  await expectNoSidewaysScrolling(page);
});
