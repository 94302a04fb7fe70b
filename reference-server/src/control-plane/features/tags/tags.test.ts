import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let projectId: string;
let ids: string[];
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  ({ projectId } = server);
  ids = [];
  for (const [key, tags] of [
    ['a', ['ui', 'beta']],
    ['b', ['ui']],
    ['c', ['billing']],
  ] as const) {
    ids.push((await api.flags.create(booleanFlag(key, { tags }))).id);
  }
  await api.segments.create(projectId, { key: 's', conditions: [], tags: ['ui'] });
});
afterAll(() => server.close());

const tagsOf = async (id: string) => (await api.flags.get(id)).tags;

test('the list of tags counts the flags and segments with each tag', async () => {
  expect(await api.projects.listTags(projectId)).toEqual([
    { tag: 'beta', flags_count: 1, segments_count: 0 },
    { tag: 'billing', flags_count: 1, segments_count: 0 },
    { tag: 'ui', flags_count: 2, segments_count: 1 },
  ]);
});

test('renaming a tag changes every resource that has it, audits each change, and can merge two tags', async () => {
  const versions = () => server.db.selectFrom('rulesets').select('version').execute();
  const before = await versions();
  const renamed = await api.projects.renameTag(projectId, 'ui', { name: 'beta', comment: 'one name' });
  expect(renamed).toEqual({ tag: 'beta', flags_count: 2, segments_count: 1 });
  expect(await tagsOf(ids[0]!)).toEqual(['beta']);
  expect(await versions()).toEqual(before);
  const entries = await server.db
    .selectFrom('audit_entries')
    .select('action')
    .where('comment', '=', 'one name')
    .execute();
  expect(entries.map((entry) => entry.action)).toEqual(['flag.updated', 'flag.updated', 'segment.updated']);
  expect(await codeOf(api.projects.renameTag(projectId, 'ui', { name: 'x' }))).toBe('TAG_NOT_FOUND');
});

test('deleting a tag removes it from every resource, and a dry run shows which resources change', async () => {
  const { plan } = await api.dryRun.projects.deleteTag(projectId, 'billing');
  expect(plan).toMatchObject([{ action: 'flag.updated', changes: { tags: { from: ['billing'], to: [] } } }]);
  expect(await tagsOf(ids[2]!)).toEqual(['billing']);
  await api.projects.deleteTag(projectId, 'billing');
  expect(await tagsOf(ids[2]!)).toEqual([]);
  expect((await api.projects.listTags(projectId)).map(({ tag }) => tag)).toEqual(['beta']);
});
