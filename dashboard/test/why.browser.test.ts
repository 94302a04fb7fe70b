import { expect, test } from 'vitest';
import { expectNoViolations } from './harness/browser.ts';
import { visitShop } from './harness/visit-shop.ts';

const at = visitShop();

test('the page of a flag leads to the explanation, of the saved flag and of the unsaved edit', async () => {
  const page = await at.open('admin', 'flags/checkout-layout?rules=staging');
  await page.getByRole('button', { name: /^Edit Rule 2/ }).click();
  const value = page.getByLabel('Value of condition 2');
  await value.fill('LU');
  await value.press('Enter');
  await page.getByRole('link', { name: 'Why…' }).click();
  await page.getByRole('heading', { name: /^With your changes/ }).waitFor();
  await page.getByLabel('User key').fill('u-20409');
  for (const [name, text] of [
    ['plan', 'pro'],
    ['country', 'LU'],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByLabel(`Value of ${name}`).fill(text);
  }
  await page.getByText('No rule matches, so the default decides.').waitFor();
  await page.getByText(/^Rule 2, Pro customers in Benelux matches, and the split gives/).waitFor();
  expect(page.url()).not.toContain('u-20409');
  await expectNoViolations(page);
  await page.reload();
  await page.getByText(/^Rule 2, Pro customers in Benelux matches/).waitFor();
  expect(await page.getByLabel('Value of country').inputValue()).toBe('LU');
});

test('what the page shows is what the server serves, for every flag', async () => {
  const context = { user_key: 'u-20409', attributes: { plan: 'pro', country: 'NL', orders: 3 } };
  const page = await at.open(
    'viewer',
    `why?environment=staging#context=${encodeURIComponent(JSON.stringify(context))}`,
  );
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('button', { name: 'Show more' }).click();
  expect(page.url()).not.toContain('context');
  const rows = await page.getByRole('table').getByRole('row').all();
  const shown = await Promise.all(
    rows.slice(1).map(async (row) => {
      const [flag, gets] = await row.getByRole('cell').all();
      return [await flag!.innerText(), (await gets!.innerText()).split('\n')[0]] as const;
    }),
  );
  expect(shown.length).toBeGreaterThan(60);
  const api = await at.shop.api('admin');
  const key = await api.apiKeys.create(at.shop.environments.staging, { name: 'Check' });
  const answer = await fetch(`${at.shop.origin}/api/v1/evaluate`, {
    method: 'POST',
    headers: { 'x-api-key': key.key!, 'content-type': 'application/json' },
    body: JSON.stringify({ flags: ['*'], context }),
  });
  const { data } = (await answer.json()) as {
    data: { evaluations: Record<string, { variation_key: string }> };
  };
  for (const [flag, variation] of shown) {
    const flagKey = flag.split('\n').at(-1)!;
    expect([flagKey, variation]).toEqual([flagKey, data.evaluations[flagKey]!.variation_key]);
  }
  await expectNoViolations(page);
});

test('a recorded user is picked by keyboard, and the dialog returns the focus', async () => {
  const page = await at.open('keptEditor', 'why?flag=checkout-layout&environment=staging');
  await page.getByRole('button', { name: 'Recorded users' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Recorded users of Staging' });
  const first = dialog.getByRole('button', { name: /^anon-/ }).first();
  await first.waitFor();
  await expectNoViolations(page);
  await dialog.getByRole('searchbox').fill('country BE');
  await first.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText(/Its key is a pseudonym/).waitFor();
  expect(await page.getByLabel('Value of country').inputValue()).toBe('BE');
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  expect(focused).toBe('Recorded users');
});

test('broken JSON, a flag that does not exist, and a server that fails each say what to do', async () => {
  const page = await at.open('viewer', 'why?flag=checkout-layout&environment=production', { width: 390 });
  await page.getByRole('radio', { name: 'JSON' }).click();
  await page.getByLabel('Context as JSON').fill('{ "user_key": ');
  await page.getByText('This is not JSON.').waitFor();
  await page.getByText('The JSON cannot be read').waitFor();
  await expectNoViolations(page);
  await page.getByLabel('Context as JSON').fill('{ "user_key": 7, "plan": "pro" }');
  await page.getByText('user_key is not a text').waitFor();
  await page.getByText('plan: not inside attributes').waitFor();
  await expectNoViolations(page);

  const none = await at.open('viewer', 'why?flag=no-such-flag&environment=production');
  await none.getByText('There is no flag no-such-flag here').waitFor();
  await expectNoViolations(none);
  await none.route('**/ruleset', (route) => route.fulfill({ status: 500, body: '{}' }));
  await none.reload();
  await none.getByText('The user that you typed is kept.').waitFor();
  await expectNoViolations(none);
  await none.unroute('**/ruleset');
  await none.getByRole('button', { name: 'Try again' }).click();
  await none.getByText('There is no flag no-such-flag here').waitFor();
});
