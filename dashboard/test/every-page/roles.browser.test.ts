import { expect, test } from 'vitest';
import { expectNoViolations } from '../harness/browser.ts';
import { isForMembers, registeredPages } from '../harness/registered-pages.ts';
import { type Visited, visitPage } from '../harness/visit-page.ts';
import { visitShop } from '../harness/visit-shop.ts';

const at = visitShop({ keepsContexts: true });
const pages = (await registeredPages()).filter(isForMembers);

/** Nothing that the person may not see looks like a failure. */
async function expectNoFailure({ page, traffic }: Visited): Promise<void> {
  expect(traffic.refusals.filter((one) => !one.startsWith('403'))).toEqual([]);
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
}

test.each(pages)('$id shows no failure to an editor kept from production', async (definition) => {
  await expectNoFailure(await visitPage(at, definition, { person: 'keptEditor' }));
});

test.each(pages)('$id shows no failure to a viewer', async (definition) => {
  const visited = await visitPage(at, definition, { person: 'viewer' });
  await expectNoFailure(visited);
  await expectNoViolations(visited.page, ['light']);
});
