import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let projectId: string;
let flagId: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  ({ projectId } = server);
  flagId = (await api.flags.create(booleanFlag('dark-mode'))).id;
});
afterAll(() => server.close());

const MAIN = {
  repository: 'github.com/acme/shop',
  branch: 'main',
  revision: 'a1b2c3',
  url_template: 'https://{repository}/blob/{revision}/{path}#L{line}',
};

const place = (flag_key: string, path: string, line = 1, more: object = {}) => ({
  flag_key,
  path,
  line,
  ...more,
});
type Snapshot = typeof MAIN & { references: ReturnType<typeof place>[] };
const put = (body: Omit<Snapshot, 'url_template'> & { url_template?: string | null; comment?: string }) =>
  api.codeReferences.put(projectId, body);
const remove = (repository: string, branch: string) =>
  api.codeReferences.remove(projectId, { repository, branch });
const placesOf = (id = flagId) => api.flags.codeReferences(id);

test('a snapshot stores where a branch mentions flags, and each place has a URL', async () => {
  const snapshot = await put({
    ...MAIN,
    references: [
      place('dark-mode', 'src/theme.ts', 12, { column: 8, context_hash: 'sha256:abc=' }),
      place('dark-mode', 'src/app.ts', 3),
      place('dark-mode', 'src/app.ts', 3),
      place('gone-flag', 'src/old.ts', 7),
    ],
  });
  expect(snapshot).toEqual({
    id: expect.stringMatching(/^ref_/),
    project_id: projectId,
    ...MAIN,
    references_count: 3,
    flags_count: 2,
    unknown_flag_keys: ['gone-flag'],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const { repository, branch, revision } = MAIN;
  const common = { repository, branch, revision, updated_at: snapshot.updated_at };
  expect(await placesOf()).toEqual([
    {
      ...common,
      path: 'src/app.ts',
      line: 3,
      column: null,
      context_hash: null,
      url: 'https://github.com/acme/shop/blob/a1b2c3/src/app.ts#L3',
    },
    {
      ...common,
      path: 'src/theme.ts',
      line: 12,
      column: 8,
      context_hash: 'sha256:abc=',
      url: 'https://github.com/acme/shop/blob/a1b2c3/src/theme.ts#L12',
    },
  ]);
});

test('a new snapshot replaces only the previous one of the same branch and repository', async () => {
  const references = [place('dark-mode', 'x.ts')];
  await put({ ...MAIN, references });
  await put({ ...MAIN, branch: 'next', references });
  await put({ ...MAIN, repository: 'github.com/acme/app', references, url_template: null });
  await put({ ...MAIN, revision: 'd4e5f6', references: [place('dark-mode', 'y.ts', 2)] });
  const places = await placesOf();
  expect(places.map(({ repository, branch, path, url }) => [repository, branch, path, url])).toEqual([
    ['github.com/acme/app', 'main', 'x.ts', null],
    ['github.com/acme/shop', 'main', 'y.ts', 'https://github.com/acme/shop/blob/d4e5f6/y.ts#L2'],
    ['github.com/acme/shop', 'next', 'x.ts', 'https://github.com/acme/shop/blob/a1b2c3/x.ts#L1'],
  ]);
  const { data, meta } = (await api.codeReferences.list(projectId, { per_page: 2 }).answer).body;
  expect(meta.total).toBe(3);
  expect(data.map(({ repository, branch, revision }) => [repository, branch, revision])).toEqual([
    ['github.com/acme/app', 'main', 'a1b2c3'],
    ['github.com/acme/shop', 'main', 'd4e5f6'],
  ]);
  expect(await api.flags.codeReferences(flagId, { per_page: 1, page: 3 })).toHaveLength(1);
});

test('the snapshot of a branch can be removed', async () => {
  await put({ ...MAIN, branch: 'merged', references: [place('dark-mode', 'x.ts')] });
  await remove(MAIN.repository, 'merged');
  expect((await placesOf()).filter(({ branch }) => branch === 'merged')).toEqual([]);
  expect(await codeOf(remove(MAIN.repository, 'merged'))).toBe('CODE_SNAPSHOT_NOT_FOUND');
});

test('places are linked to a flag that is created after them', async () => {
  await put({ ...MAIN, branch: 'early', references: [place('later-flag', 'x.ts')] });
  const { id } = await api.flags.create(booleanFlag('later-flag'));
  expect(await placesOf(id)).toHaveLength(1);
  const again = await put({ ...MAIN, branch: 'early', references: [place('later-flag', 'x.ts')] });
  expect(again.unknown_flag_keys).toEqual([]);
});

test('a changed snapshot is audited, and an unchanged one is not', async () => {
  const references = [place('dark-mode', 'b.ts'), place('dark-mode', 'a.ts')];
  const branch = 'audited';
  await put({ ...MAIN, branch, references });
  await put({ ...MAIN, branch, references: [...references].reverse() });
  const moved = [place('dark-mode', 'b.ts', 2), place('dark-mode', 'a.ts')];
  await put({ ...MAIN, branch, references: moved, comment: 'moved' });
  await remove(MAIN.repository, branch);
  const entries = await server.as('admin').audit.list({ resource_type: 'code_snapshot' });
  const own = entries.filter(({ resource }) => resource.key?.endsWith('@audited'));
  expect(own.map(({ action, comment }) => [action, comment])).toEqual([
    ['code_reference.removed', null],
    ['code_reference.updated', 'moved'],
    ['code_reference.updated', null],
  ]);
  expect(own[2]!.changes).toMatchObject({ references_count: { from: null, to: 2 } });
});

test.each([
  [{ references: [place('dark-mode', 'ok.ts'), place('dark-mode', '/etc/passwd')] }, 'references.1.path'],
  [{ references: [place('dark-mode', 'a/../../b')] }, 'references.0.path'],
  [{ references: [place('dark-mode', 'a\\b.ts')] }, 'references.0.path'],
  [{ references: [place('dark-mode', 'a\nb.ts')] }, 'references.0.path'],
  [{ references: [place('dark-mode', '')] }, 'references.0.path'],
  [{ references: [place('dark-mode', 'a.ts'), place('dark-mode', 'a.ts', 0)] }, 'references.1.line'],
  [{ references: [place('dark-mode', 'a.ts', 1, { column: 1.5 })] }, 'references.0.column'],
  [
    { references: [place('dark-mode', 'a.ts', 1, { context_hash: 'if (x) {' })] },
    'references.0.context_hash',
  ],
  [{ references: [place('Dark Mode', 'a.ts')] }, 'references.0.flag_key'],
  [{ references: [], repository: 'a b' }, 'repository'],
  [{ references: [], branch: '' }, 'branch'],
  [{ references: [], url_template: 'javascript:{path}' }, 'url_template'],
])('the refusal names the fault of %j', async (more, field) => {
  const { details } = await refused(api.unchecked.codeReferences.put(projectId, { ...MAIN, ...more }));
  expect(details.fields.map((fault: { field: string }) => fault.field)).toEqual([field]);
});

test('a snapshot has at most twenty thousand places', async () => {
  const references = Array.from({ length: 20_001 }, (_, line) =>
    place('dark-mode', 'src/long-name.ts', line + 1),
  );
  expect(await codeOf(put({ ...MAIN, branch: 'large', references }))).toBe('LIMIT_EXCEEDED');
  const snapshot = await put({ ...MAIN, branch: 'large', references: references.slice(1) });
  expect(snapshot).toMatchObject({ references_count: 20_000, flags_count: 1 });
  await remove(MAIN.repository, 'large');
});

test('a token with only the scope for code references can send them', async () => {
  type Scope = 'code_references:write' | 'read' | 'flags:write';
  const withScope = async (scope: Scope, owner = api) =>
    server.withToken((await owner.personalTokens.create({ name: 'ci', scopes: [scope] })).token!);
  const body = { ...MAIN, branch: 'ci', references: [] };
  const writes = (client: Api) => codeOf(client.codeReferences.put(projectId, body));
  const scanner = await withScope('code_references:write');
  expect(await writes(scanner)).toBe('OK');
  expect(await codeOf(scanner.codeReferences.list(projectId))).toBe('OK');
  expect(await codeOf(scanner.flags.create(booleanFlag('by-ci')))).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await writes(await withScope('read'))).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await writes(await withScope('flags:write'))).toBe('OK');
  // A scope grants no more than the role.
  const ofViewer = await withScope('code_references:write', server.as('viewer'));
  expect(await writes(ofViewer)).toBe('INSUFFICIENT_PERMISSIONS');
});

test('archiving or deleting a flag that code still mentions returns a warning', async () => {
  const { id } = await api.flags.create(booleanFlag('still-named'));
  const references = [place('still-named', 'a.ts'), place('still-named', 'b.ts')];
  await put({ ...MAIN, branch: 'warned', references });
  const admin = server.as('admin');
  const { plan } = await admin.dryRun.flags.archive(id);
  expect(plan[0]!.warnings).toMatchObject([{ code: 'code-references', details: { places: 2 } }]);
  const archived = await admin.flags.archive(id).answer;
  expect(archived.headers['x-flagsvc-warnings']).toBe('code-references=2');
  await admin.auth.reauthenticate({ password: PASSWORD });
  const deleted = await admin.flags.delete(id, { confirm_key: 'still-named' }).answer;
  expect([deleted.status, deleted.headers['x-flagsvc-warnings']]).toEqual([204, 'code-references=2']);
  const again = await put({ ...MAIN, branch: 'warned', references });
  expect(again.unknown_flag_keys).toEqual(['still-named']);
});
