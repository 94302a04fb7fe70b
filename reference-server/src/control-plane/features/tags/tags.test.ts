import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let url: string;
let ids: string[];
beforeAll(async () => {
  server = await startServer();
  url = `/projects/${server.projectId}/tags`;
  ids = [];
  for (const [key, tags] of [
    ['a', ['ui', 'beta']],
    ['b', ['ui']],
    ['c', ['billing']],
  ] as const) {
    ids.push(
      (await send('POST', `/flags?environment_id=${server.environments.staging}`, booleanFlag(key, { tags })))
        .body.data.id,
    );
  }
  await send('POST', `/projects/${server.projectId}/segments`, { key: 's', conditions: [], tags: ['ui'] });
});
afterAll(() => server.close());

const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  server.call({ method, url: path, token: server.tokens.editor, body });
const list = async () => (await server.call({ url, token: server.tokens.viewer })).body.data;
const tagsOf = async (id: string) =>
  (
    await server.call({
      url: `/flags/${id}?environment_id=${server.environments.staging}`,
      token: server.tokens.viewer,
    })
  ).body.data.tags;

test('counts the tags of a project', async () => {
  expect(await list()).toEqual([
    { tag: 'beta', flags_count: 1, segments_count: 0 },
    { tag: 'billing', flags_count: 1, segments_count: 0 },
    { tag: 'ui', flags_count: 2, segments_count: 1 },
  ]);
});

test('renames a tag everywhere, each with its audit entry, and merges it with another', async () => {
  const versions = () => server.db.selectFrom('rulesets').select('version').execute();
  const before = await versions();
  const renamed = await send('PATCH', `${url}/ui`, { name: 'beta', comment: 'one name' });
  expect(renamed.body.data).toEqual({ tag: 'beta', flags_count: 2, segments_count: 1 });
  expect(await tagsOf(ids[0]!)).toEqual(['beta']);
  expect(await versions()).toEqual(before);
  const entries = await server.db
    .selectFrom('audit_entries')
    .select('action')
    .where('comment', '=', 'one name')
    .execute();
  expect(entries.map((entry) => entry.action)).toEqual(['flag.updated', 'flag.updated', 'segment.updated']);
  const again = await send('PATCH', `${url}/ui`, { name: 'x' });
  expect([again.status, again.body.error.code]).toEqual([404, 'TAG_NOT_FOUND']);
});

test('takes a tag from everything, and tells beforehand what that would be', async () => {
  const tried = await send('DELETE', `${url}/billing?dry_run=true`);
  expect(tried.body.data.plan).toMatchObject([
    { action: 'flag.updated', changes: { tags: { from: ['billing'], to: [] } } },
  ]);
  expect(await tagsOf(ids[2]!)).toEqual(['billing']);
  expect((await send('DELETE', `${url}/billing`)).status).toBe(204);
  expect(await tagsOf(ids[2]!)).toEqual([]);
  expect((await list()).map((one: { tag: string }) => one.tag)).toEqual(['beta']);
});
