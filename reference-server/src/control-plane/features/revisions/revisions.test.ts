import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, type ConditionBody, startServer, type TestServer } from '../../../../test/server.ts';
import { revisionPoints } from './revision-points.ts';

let server: TestServer;
let api: Api;
let staging: Api;
let id: string;

const rule = (name: string) => ({ priority: 1, name, conditions: [], variation: 'on' });

beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  staging = api.in(server.environments.staging);
  ({ id } = await api.flags.create(booleanFlag('kept')));
  await api.flags.update(id, { targeting_rules: [rule('first')] });
  await api.flags.toggle(id, true);
  await staging.flags.update(id, { targeting_rules: [rule('staging')] });
  await api.flags.update(id, { name: 'Both', targeting_rules: [rule('second')], comment: 'why' });
});
afterAll(() => server.close());

test('the list has the revisions of one environment, with their authors', async () => {
  const revisions = await api.flags.listRevisions(id);
  expect(revisions.map(({ revision, action }) => [revision, action])).toEqual([
    // One update changed the shared half and the half of the environment, so the number rose by two.
    [5, 'flag.updated'],
    [3, 'flag.toggled'],
    [2, 'flag.updated'],
    [1, 'flag.created'],
  ]);
  expect(revisions[0]).toMatchObject({
    actor: { email: 'editor@example.com' },
    comment: 'why',
    audit_id: expect.stringMatching(/^evt_/),
  });
  const elsewhere = await staging.flags.listRevisions(id);
  expect(elsewhere.map(({ revision }) => revision)).toEqual([3, 2, 1]);
  const { data, meta } = (await api.flags.listRevisions(id, { per_page: 1, page: 2 }).answer).body;
  expect([data[0]!.revision, meta.total]).toEqual([3, 4]);
});

test('a revision can be read as it was, and compared with another', async () => {
  expect(await api.flags.getRevision(id, 3)).toMatchObject({
    revision: 3,
    content: { name: 'Flag kept', enabled: true, targeting_rules: [{ name: 'first' }], status: 'active' },
  });
  const { changes } = await api.flags.diffRevisions(id, 1, 5);
  expect(Object.keys(changes).sort()).toEqual(['enabled', 'name', 'targeting_rules']);
  expect(changes['name']).toEqual({ from: 'Flag kept', to: 'Both' });
  expect((await api.flags.diffRevisions(id, 5, 5)).changes).toEqual({});
});

test.each([4, 0, 99])('revision %i does not exist', async (revision) => {
  expect(await codeOf(api.flags.getRevision(id, revision))).toBe('REVISION_NOT_FOUND');
});

test('restoring an old revision creates a new one, in which the rules have their old ids', async () => {
  const before = await api.flags.getRevision(id, 3);
  const restored = await api.flags.restoreRevision(id, 3, { comment: 'back' });
  expect(restored).toMatchObject({ name: 'Flag kept', enabled: true, revision: 7 });
  expect(restored.targeting_rules).toEqual(before.content.targeting_rules);
  const [newest] = await api.flags.listRevisions(id);
  expect(newest).toMatchObject({ revision: 7, action: 'flag.revision_restored', comment: 'back' });
  expect((await api.flags.diffRevisions(id, 7, 3)).changes).toEqual({});
  expect(await api.flags.getRevision(id, 3)).toEqual(before);
  // Restoring the current revision changes nothing.
  expect((await api.flags.restoreRevision(id, 7)).revision).toBe(7);
  expect((await staging.flags.get(id)).targeting_rules).toMatchObject([{ name: 'staging' }]);
});

const inSegment = (key: string): ConditionBody => ({
  attribute: '$segment',
  operator: 'one_of',
  value: [key],
});

test('a revision that is no longer valid cannot be restored', async () => {
  const segment = await api.segments.create(server.projectId, { key: 'gone', conditions: [] });
  const { revision } = await api.flags.update(id, {
    targeting_rules: [{ ...rule('x'), conditions: [inSegment('gone')] }],
  });
  await api.flags.update(id, { targeting_rules: [] });
  await api.segments.delete(segment.id);
  expect(await refused(api.flags.restoreRevision(id, revision))).toMatchObject({
    code: 'SEGMENT_UNKNOWN',
    details: { segments: ['gone'] },
  });
});

test('the refusal of a restore lists every reason', async () => {
  const segments = [];
  for (const key of ['first', 'second'])
    segments.push(await api.segments.create(server.projectId, { key, conditions: [] }));
  const based = await api.flags.create(booleanFlag('based-on'));
  const { revision } = await api.flags.update(id, {
    targeting_rules: [
      { ...rule('first'), conditions: [inSegment('first')] },
      { ...rule('sound'), priority: 2 },
      { ...rule('second'), priority: 3, conditions: [inSegment('second')] },
    ],
    prerequisites: [{ flag_key: 'based-on', variation: 'on' }],
  });
  await api.flags.update(id, { targeting_rules: [], prerequisites: [] });
  for (const segment of segments) await api.segments.delete(segment.id);
  await server.db.deleteFrom('flags').where('id', '=', based.id).execute();
  const { code, details } = await refused(api.flags.restoreRevision(id, revision));
  expect(code).toBe('SEGMENT_UNKNOWN');
  expect(details.errors).toMatchObject([
    { code: 'SEGMENT_UNKNOWN', details: { field: 'targeting_rules.0.conditions.0.value' } },
    { code: 'SEGMENT_UNKNOWN', details: { field: 'targeting_rules.2.conditions.0.value' } },
    { code: 'PREREQUISITE_UNKNOWN', details: { field: 'prerequisites.0' } },
  ]);
});

test('the revisions of a new environment begin with its creation', async () => {
  const environment = { key: 'qa', name: 'QA', type: 'staging' } as const;
  const created = await server.as('admin').environments.create(server.projectId, environment);
  const revisions = await api.in(created.id).flags.listRevisions(id);
  expect(revisions.map(({ action }) => action)).toEqual(['environment.created']);
});

test('revisions begin once both the shared half and the environment half of a flag have one', () => {
  const row = (environment_id: string, revision: number, audit_id: string) => ({
    seq: revision,
    environment_id,
    revision,
    audit_id,
    created_at: '',
  });
  expect(revisionPoints([row('', 1, 'a')])).toEqual([]);
  expect(revisionPoints([row('', 1, ''), row('e', 4, '')]).map((point) => point.revision)).toEqual([5]);
  expect(
    revisionPoints([row('', 1, 'a'), row('e', 0, 'a'), row('', 2, 'b'), row('e', 1, 'b')]),
  ).toMatchObject([{ revision: 1 }, { revision: 3 }]);
});
