import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const token = server.tokens.editor;
  const create = (key: string, more: object = {}) =>
    server.call({
      method: 'POST',
      url: `/flags?environment_id=${server.environments.production}`,
      token,
      body: booleanFlag(key, more),
    });
  await create('checkout');
  await create('checkout-v2', { name: 'New cart' });
  await create('cart-icon', { name: 'Checkout icon' });
  await create('banner', { description: 'Shown before checkout' });
  await create('unrelated', { name: '50% off_sale "now"' });
  const gone = await create('checkout-old');
  await server.call({
    method: 'DELETE',
    url: `/flags/${gone.body.data.id}?environment_id=${server.environments.production}`,
    token,
  });
  await server.call({
    method: 'POST',
    url: `/projects/${server.projectId}/segments`,
    token,
    body: { key: 'checkout-testers', conditions: [] },
  });
});
afterAll(() => server.close());

const find = (q: string, more = '') =>
  server.call({ url: `/search?q=${encodeURIComponent(q)}${more}`, token: server.tokens.viewer });

async function keys(q: string, more = ''): Promise<string[]> {
  return (await find(q, more)).body.data.map((hit: { key: string }) => hit.key);
}

test('ranks the exact key first, then keys, names and texts', async () => {
  const { body } = await find('checkout');
  expect(body.data.map((hit: Record<string, string>) => [hit['type'], hit['key'], hit['match']])).toEqual([
    ['flag', 'checkout', 'key'],
    ['segment', 'checkout-testers', 'key_prefix'],
    ['flag', 'checkout-v2', 'key_prefix'],
    ['flag', 'cart-icon', 'name_prefix'],
    ['flag', 'banner', 'text'],
  ]);
  expect(body.meta.total).toBe(5);
  expect((await find('checkout', '&per_page=2&page=2')).body.data).toHaveLength(2);
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

test('keeps to the types and the project that are asked for', async () => {
  expect(await keys('checkout', '&types=segments')).toEqual(['checkout-testers']);
  expect(await keys('checkout', `&project_id=${server.projectId}&types=flags,segments`)).toHaveLength(5);
  expect((await find('x', '&project_id=prj_x')).body.error.code).toBe('PROJECT_NOT_FOUND');
  expect((await find('x', '&types=users')).status).toBe(400);
  expect((await find('')).status).toBe(400);
});

test('follows a rename, a removal and another tenant’s borders', async () => {
  const created = await server.call({
    method: 'POST',
    url: `/projects/${server.projectId}/segments`,
    token: server.tokens.editor,
    body: { key: 'moving', name: 'Before', conditions: [] },
  });
  const { id } = created.body.data;
  const one = { url: `/segments/${id}`, token: server.tokens.editor };
  await server.call({ ...one, method: 'PUT', body: { name: 'Afterwards' } });
  expect(await keys('Before')).toEqual(['banner']);
  expect(await keys('afterward')).toEqual(['moving']);
  const foreign = await addTenant(server);
  const theirs = await server.call({ url: '/search?q=checkout', token: foreign.token });
  expect(theirs.body.data).toEqual([]);
  await server.call({ ...one, method: 'DELETE' });
  expect(await keys('afterward')).toEqual([]);
});
