import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
/** The URLs of all operations that search, up to the search text. */
let searches: readonly string[];

beforeAll(async () => {
  server = await startServer();
  const { staging } = server.environments;
  for (const key of ['one', 'two'])
    await server
      .as('admin')
      .in(staging)
      .flags.create(booleanFlag(key, { description: '' }));
  const { paths } = server.app.swagger() as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  };
  searches = Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter(({ in: place, name }) => place === 'query' && ['q', 'search'].includes(name))
      .map(({ name }) => `${path.slice('/api/v1'.length)}?environment_id=${staging}&${name}=`)
      .map((url) => url.replace('{project_id}', server.projectId)),
  );
});
afterAll(() => server.close());

const countFound = async (search: string, text: string): Promise<number> => {
  const { status, body } = await server.as('admin').raw({ url: search + encodeURIComponent(text) });
  expect([search, status]).toEqual([search, 200]);
  expect(body.data).toHaveLength(body.meta.total);
  return body.meta.total;
};

test('each operation that searches finds a text that occurs', async () => {
  expect(searches.map((url) => url.replace(/\?.*&/, '?'))).toEqual([
    '/audit-log?q=',
    '/flags?search=',
    `/projects/${server.projectId}/flags?search=`,
    '/search?q=',
  ]);
  for (const search of searches) expect(await countFound(search, 'o')).toBeGreaterThan(0);
});

test.each(['\0', '\0o', 'o\0', '\0\0\0', 'one\0', '\u0001', '\u001f\u007f', '%', '_', '\\', '"', '*'])(
  'searches for %j find nothing, since no stored text contains it',
  async (text) => {
    for (const search of searches) {
      // Names of audit actions contain underscores.
      if (text === '_' && search.startsWith('/audit-log')) continue;
      expect([search, await countFound(search, text)]).toEqual([search, 0]);
    }
  },
);

test('a bulk change whose search text is a NUL selects no flags', async () => {
  const { results } = await server.as('admin').flags.bulk({
    action: 'archive',
    environment_id: server.environments.staging,
    filter: { search: '\0' },
    expected_count: 0,
  });
  expect(results).toEqual([]);
});
