import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
});
afterAll(() => server.close());

const plan = (value: string) => [{ attribute: 'plan', operator: 'is' as const, value }];

test('a segment gets the content of each of its older revisions back', async () => {
  const created = await api.segments.create(server.projectId, {
    key: 'kept',
    conditions: plan('pro'),
    included: ['a', 'b'],
    tags: ['one'],
  });
  const { id } = created;
  const states = [created];
  const patches = [
    { included: ['b', 'c'], excluded: ['x'] },
    { included: null, name: 'Kept' },
    { conditions: plan('team'), tags: [], excluded: [] },
    { included: ['d'] },
  ];
  for (const patch of patches) states.push(await api.segments.update(id, patch));
  const sorted = (keys: readonly string[] | null) => keys && [...keys].sort();
  for (const { revision, name, conditions, included, excluded, tags } of [...states].reverse()) {
    const restored = await api.segments.restoreRevision(id, revision, { comment: 'back' });
    expect(restored).toMatchObject({ name, conditions, tags });
    expect([sorted(restored.included), sorted(restored.excluded)]).toEqual([
      sorted(included),
      sorted(excluded),
    ]);
  }
  const [entry] = await api.audit.list({ resource_id: id, per_page: 1 });
  expect(entry).toMatchObject({ action: 'segment.updated', comment: 'back' });
});

test('a restore changes nothing when the segment has that content, and takes effect once', async () => {
  const { id } = await api.segments.create(server.projectId, { key: 'same', conditions: [] });
  expect((await api.segments.restoreRevision(id, 1)).revision).toBe(1);
  await api.segments.update(id, { excluded: ['x'] });
  const planned = await api.dryRun.segments.restoreRevision(id, 1);
  expect(planned).toMatchObject({ plan: [{ changes: { excluded: { from: ['x'], to: [] } } }] });
  expect((await api.segments.get(id)).excluded).toEqual(['x']);
});

test('a revision that never was, or whose later changes left the audit log, is not found', async () => {
  const { id } = await api.segments.create(server.projectId, { key: 'short', conditions: [] });
  for (const name of ['two', 'three', 'four']) await api.segments.update(id, { name });
  for (const revision of [0, 5, 900])
    expect(await codeOf(api.segments.restoreRevision(id, revision))).toBe('REVISION_NOT_FOUND');
  await server.db
    .deleteFrom('audit_entries')
    .where('resource_id', '=', id)
    .where('revision', '=', 2)
    .execute();
  expect(await codeOf(api.segments.restoreRevision(id, 2))).toBe('REVISION_NOT_FOUND');
  expect((await api.segments.restoreRevision(id, 3)).name).toBe('three');
});
