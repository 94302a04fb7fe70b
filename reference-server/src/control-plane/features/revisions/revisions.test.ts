import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { revisionPoints } from './revision-points.ts';

let server: TestServer;
let production: string;
let staging: string;
let id: string;

const rule = (name: string) => ({ priority: 1, name, conditions: [], variation: 'on' });

beforeAll(async () => {
  server = await startServer();
  ({ production, staging } = server.environments);
  const { body } = await send('POST', `/flags?environment_id=${production}`, booleanFlag('kept'));
  id = body.data.id;
  await put({ targeting_rules: [rule('first')] });
  await send('POST', at('/toggle'), { enabled: true });
  await put({ targeting_rules: [rule('staging')] }, staging);
  await put({ name: 'Both', targeting_rules: [rule('second')], comment: 'why' });
});
afterAll(() => server.close());

const at = (path: string, environment = production) => `/flags/${id}${path}?environment_id=${environment}`;
const send = (method: 'POST' | 'PUT', url: string, body: object) =>
  server.call({ method, url, token: server.tokens.editor, body });
const put = (body: object, environment = production) => send('PUT', at('', environment), body);
const get = async (path: string, environment = production) =>
  server.call({ url: at(path, environment), token: server.tokens.viewer });

test('lists each state of an environment with who made it, and no states of the others', async () => {
  const { body } = await get('/revisions');
  expect(body.data.map((one: { revision: number; action: string }) => [one.revision, one.action])).toEqual([
    // Both halves were changed at once: one step, and the number moves by two.
    [5, 'flag.updated'],
    [3, 'flag.toggled'],
    [2, 'flag.updated'],
    [1, 'flag.created'],
  ]);
  expect(body.data[0]).toMatchObject({
    actor: { email: 'editor@example.com' },
    comment: 'why',
    audit_id: expect.stringMatching(/^evt_/),
  });
  const other = await get('/revisions', staging);
  expect(other.body.data.map((one: { revision: number }) => one.revision)).toEqual([3, 2, 1]);
  const page = await server.call({
    url: `${at('/revisions')}&per_page=1&page=2`,
    token: server.tokens.viewer,
  });
  expect([page.body.data[0].revision, page.body.meta.total]).toEqual([3, 4]);
});

test('reads a revision as it was, and compares two', async () => {
  const { body } = await get('/revisions/3');
  expect(body.data).toMatchObject({
    revision: 3,
    content: { name: 'Flag kept', enabled: true, targeting_rules: [{ name: 'first' }], status: 'active' },
  });
  const diff = await get('/revisions/1/diff/5');
  expect(Object.keys(diff.body.data.changes).sort()).toEqual(['enabled', 'name', 'targeting_rules']);
  expect(diff.body.data.changes.name).toEqual({ from: 'Flag kept', to: 'Both' });
  expect((await get('/revisions/5/diff/5')).body.data.changes).toEqual({});
});

test.each([['4'], ['0'], ['99']])('knows no revision %s', async (revision) => {
  const { status, body } = await get(`/revisions/${revision}`);
  expect([status, body.error.code]).toEqual([404, 'REVISION_NOT_FOUND']);
});

test('restores an old revision as the newest, rules with their ids, and rewrites nothing', async () => {
  const before = await get('/revisions/3');
  const restored = await send('POST', at('/revisions/3/restore'), { comment: 'back' });
  expect(restored.status).toBe(200);
  expect(restored.body.data).toMatchObject({ name: 'Flag kept', enabled: true, revision: 7 });
  expect(restored.body.data.targeting_rules).toEqual(before.body.data.content.targeting_rules);
  const list = await get('/revisions');
  expect(list.body.data[0]).toMatchObject({ revision: 7, action: 'flag.revision_restored', comment: 'back' });
  expect((await get('/revisions/7/diff/3')).body.data.changes).toEqual({});
  expect((await get('/revisions/3')).body).toEqual(before.body);
  // What is as it was changes nothing.
  expect((await send('POST', at('/revisions/7/restore'), {})).body.data.revision).toBe(7);
  expect((await get('', staging)).body.data.targeting_rules).toMatchObject([{ name: 'staging' }]);
});

test('refuses to restore what would not be valid today', async () => {
  const url = `/projects/${server.projectId}/segments`;
  const segment = await send('POST', url, { key: 'gone', conditions: [] });
  const conditions = [{ attribute: '$segment', operator: 'one_of', value: ['gone'] }];
  const with_segment = await put({ targeting_rules: [{ ...rule('x'), conditions }] });
  await put({ targeting_rules: [] });
  const { id: segmentId } = segment.body.data;
  await server.call({ method: 'DELETE', url: `/segments/${segmentId}`, token: server.tokens.editor });
  const { revision } = with_segment.body.data;
  const refused = await send('POST', at(`/revisions/${revision}/restore`), {});
  expect([refused.status, refused.body.error.code, refused.body.error.details.segments]).toEqual([
    422,
    'SEGMENT_UNKNOWN',
    ['gone'],
  ]);
});

test('lists everything that stands against restoring a revision', async () => {
  const segmentOf = (key: string) =>
    send('POST', `/projects/${server.projectId}/segments`, { key, conditions: [] });
  const ids = [];
  for (const key of ['first', 'second']) ids.push((await segmentOf(key)).body.data.id);
  const based = await send('POST', `/flags?environment_id=${production}`, booleanFlag('based-on'));
  const ruleOf = (key: string, priority: number) => ({
    ...rule(key),
    priority,
    conditions: [{ attribute: '$segment', operator: 'one_of', value: [key] }],
  });
  const rich = await put({
    targeting_rules: [ruleOf('first', 1), { ...rule('sound'), priority: 2 }, ruleOf('second', 3)],
    prerequisites: [{ flag_key: 'based-on', variation: 'on' }],
  });
  await put({ targeting_rules: [], prerequisites: [] });
  for (const segmentId of ids) {
    await server.call({ method: 'DELETE', url: `/segments/${segmentId}`, token: server.tokens.editor });
  }
  await server.db.deleteFrom('flags').where('id', '=', based.body.data.id).execute();
  const refused = await send('POST', at(`/revisions/${rich.body.data.revision}/restore`), {});
  expect([refused.status, refused.body.error.code]).toEqual([422, 'SEGMENT_UNKNOWN']);
  const { errors } = refused.body.error.details;
  expect(
    errors.map((one: { code: string; details: { field: string } }) => [one.code, one.details.field]),
  ).toEqual([
    ['SEGMENT_UNKNOWN', 'targeting_rules.0.conditions.0.value'],
    ['SEGMENT_UNKNOWN', 'targeting_rules.2.conditions.0.value'],
    ['PREREQUISITE_UNKNOWN', 'prerequisites.0'],
  ]);
});

test('gives a new environment the flag as its first revision', async () => {
  const created = await server.call({
    method: 'POST',
    url: `/projects/${server.projectId}/environments`,
    token: server.tokens.admin,
    body: { key: 'qa', name: 'QA', type: 'staging' },
  });
  const list = await get('/revisions', created.body.data.id);
  expect(list.body.data).toHaveLength(1);
  expect(list.body.data[0].action).toBe('environment.created');
});

test('shows nothing before both halves are there', () => {
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
