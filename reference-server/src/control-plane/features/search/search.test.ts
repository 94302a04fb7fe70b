import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  await api.flags.create(booleanFlag('checkout'));
  await api.flags.create(booleanFlag('checkout-v2', { name: 'New cart' }));
  await api.flags.create(booleanFlag('cart-icon', { name: 'Checkout icon' }));
  await api.flags.create(booleanFlag('banner', { description: 'Shown before checkout' }));
  await api.flags.create(booleanFlag('unrelated', { name: '50% off_sale "now"' }));
  const gone = await api.flags.create(booleanFlag('checkout-old'));
  await api.flags.archive(gone.id);
  await api.segments.create(server.projectId, { key: 'checkout-testers', conditions: [] });
});
afterAll(() => server.close());

const find = (q: string, more: object = {}) => api.search.find({ q, ...more });
const keys = async (q: string, more: object = {}) => (await find(q, more)).map((hit) => hit.key);

test('results with the exact key come first, then matches in other keys, in names and in other texts', async () => {
  const { data, meta } = (await find('checkout').answer).body;
  expect(data.map(({ type, key, match }) => [type, key, match])).toEqual([
    ['flag', 'checkout', 'key'],
    ['segment', 'checkout-testers', 'key_prefix'],
    ['flag', 'checkout-v2', 'key_prefix'],
    ['flag', 'cart-icon', 'name_prefix'],
    ['flag', 'banner', 'text'],
  ]);
  expect(meta.total).toBe(5);
  expect(await find('checkout', { per_page: 2, page: 2 })).toHaveLength(2);
});

test.each([
  ['CHECKOUT', ['checkout', 'checkout-testers', 'checkout-v2', 'cart-icon', 'banner']],
  ['kout-v', ['checkout-v2']],
  ['50%', ['unrelated']],
  ['%', ['unrelated']],
  ['f_', ['unrelated']],
  ['_sale "n', ['unrelated']],
  ['c_t', []],
  ['ch*', []],
  ['ch', ['checkout', 'checkout-testers', 'checkout-v2', 'cart-icon', 'banner']],
  ['name:checkout OR', []],
  ['cart new v2', ['checkout-v2']],
  ['before banner', ['banner']],
  ['che\u0000ck', []],
  ['\tbefore\u00A0 banner\n', ['banner']],
  [' ', []],
  [' \t ', []],
])('finds %j as text', async (q, expected) => {
  expect(await keys(q)).toEqual(expected);
});

test('a search can be narrowed to types and to a project', async () => {
  expect(await keys('checkout', { types: 'segments' })).toEqual(['checkout-testers']);
  const { projectId: project_id } = server;
  expect(await keys('checkout', { project_id, types: 'flags,segments' })).toHaveLength(5);
  expect(await codeOf(find('x', { project_id: 'prj_x' }))).toBe('PROJECT_NOT_FOUND');
  expect(await codeOf(find('x', { types: 'users' }))).toBe('VALIDATION_ERROR');
  expect(await codeOf(find(''))).toBe('VALIDATION_ERROR');
});

test('a renamed segment is found by its new name until it is deleted', async () => {
  const { id } = await api.segments.create(server.projectId, {
    key: 'moving',
    name: 'Before',
    conditions: [],
  });
  await api.segments.update(id, { name: 'Afterwards' });
  expect(await keys('Before')).toEqual(['banner']);
  expect(await keys('afterward')).toEqual(['moving']);
  await api.segments.delete(id);
  expect(await keys('afterward')).toEqual([]);
});

test('a search finds nothing of another organization', async () => {
  const { token } = await addTenant(server);
  expect(await server.withToken(token).search.find({ q: 'checkout' })).toEqual([]);
});
