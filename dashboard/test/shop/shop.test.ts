import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, startShop } from '../harness/start-shop.ts';
import { shopFlags } from './flag-table.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
}, 180_000);
afterAll(() => shop.close());

test('the shop has the flags, people and troubles that pages are tested with', async () => {
  const api = (await shop.api('admin')).in(shop.environments.production);
  const flags = await api.flags.list({ per_page: 200 });
  const visible = flags.filter(({ status }) => status !== 'archived');
  expect(visible).toHaveLength(61);
  expect(visible.map(({ key }) => key).toSorted()).toEqual(shopFlags.map(({ key }) => key).toSorted());
  expect(
    visible
      .filter(({ status }) => status === 'stale')
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(
    shopFlags
      .filter(({ status }) => status === 'stale')
      .map(({ key }) => key)
      .toSorted(),
  );
  expect(await api.flags.list({ status: 'archived' })).toHaveLength(7);
  expect(await api.segments.list(shop.projectId)).toHaveLength(9);
  expect((await api.breakGlass.list()).map(({ status }) => status)).toEqual(['closed', 'reviewed']);
  expect((await api.freezeWindows.status()).windows.map(({ name }) => name)).toContain('Peak week');
});

test('one webhook fails since its receiver answers 503, the other arrives', async () => {
  const api = await shop.api('admin');
  const webhooks = await api.webhooks.list();
  const found = await Promise.all(
    webhooks.map(async ({ id, description }) => {
      const deliveries = await api.webhooks.deliveries(id, { per_page: 100 });
      return [description, new Set(deliveries.slice(0, 3).map(({ status }) => status))] as const;
    }),
  );
  const states = Object.fromEntries(found);
  expect(states['Channel #releases']).toEqual(new Set(['succeeded']));
  expect(states['Warehouse sync']!.has('succeeded')).toBe(false);
});

test('evaluations of 30 days and recorded users are there', async () => {
  const api = (await shop.api('admin')).in(shop.environments.staging);
  const { id } = await api.flags.getByKey('checkout-layout');
  const metrics = await api.in(shop.environments.production).flags.metrics(id);
  expect(JSON.stringify(metrics)).toMatch(/one-page/);
  const preview = await api.flags.preview(id, {
    instructions: [{ op: 'set_default', variation: 'one-page' }],
    sample: 'recent',
  });
  expect(JSON.stringify(preview)).toContain('1000');
});

test('an editor who is kept from production cannot change it', async () => {
  const api = (await shop.api('keptEditor')).in(shop.environments.production);
  const { id } = await api.flags.getByKey('search-typos');
  const { status } = await api.flags.toggle(id, false).answer;
  expect(status).toBe(403);
});
