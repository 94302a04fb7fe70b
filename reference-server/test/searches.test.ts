import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
/** The address of each operation that searches, but for the text. */
let searches: readonly string[];

beforeAll(async () => {
  server = await startServer();
  const environment = server.environments.staging;
  for (const key of ['one', 'two']) {
    const body = booleanFlag(key, { description: '' });
    const url = `/flags?environment_id=${environment}`;
    await server.call({ method: 'POST', url, token: server.tokens.admin, body });
  }
  const { paths } = server.app.swagger() as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  };
  searches = Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter(({ in: place, name }) => place === 'query' && ['q', 'search'].includes(name))
      .map(({ name }) => `${path.slice('/api/v1'.length)}?environment_id=${environment}&${name}=`),
  );
});
afterAll(() => server.close());

const totalOf = async (search: string, text: string): Promise<number> => {
  const { status, body } = await server.call({
    url: search + encodeURIComponent(text),
    token: server.tokens.admin,
  });
  expect([search, status]).toEqual([search, 200]);
  expect(body.data).toHaveLength(body.meta.total);
  return body.meta.total;
};

test('are three, and find what is there', async () => {
  expect(searches.map((url) => url.replace(/\?.*&/, '?'))).toEqual([
    '/audit-log?q=',
    '/flags?search=',
    '/search?q=',
  ]);
  for (const search of searches) expect(await totalOf(search, 'o')).toBeGreaterThan(0);
});

test.each(['\0', '\0o', 'o\0', '\0\0\0', 'one\0', '\u0001', '\u001f\u007f', '%', '_', '\\', '"', '*'])(
  'find nothing for %j, which nothing holds',
  async (text) => {
    for (const search of searches) {
      // Actions are written with it.
      if (text === '_' && search.startsWith('/audit-log')) continue;
      expect([search, await totalOf(search, text)]).toEqual([search, 0]);
    }
  },
);

test('of a change in bulk reach nothing by a NUL', async () => {
  const { status, body } = await server.call({
    method: 'POST',
    url: '/flags/bulk',
    token: server.tokens.admin,
    body: {
      action: 'archive',
      environment_id: server.environments.staging,
      filter: { search: '\0' },
      expected_count: 0,
    },
  });
  expect([status, body.data.results]).toEqual([200, []]);
});
