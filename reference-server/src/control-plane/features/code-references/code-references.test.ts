import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let url: string;
let flagId: string;
beforeAll(async () => {
  server = await startServer();
  url = `/projects/${server.projectId}/code-references`;
  flagId = await createFlag('dark-mode');
});
afterAll(() => server.close());

async function createFlag(key: string): Promise<string> {
  const path = `/flags?environment_id=${server.environments.staging}`;
  const { body } = await server.call({
    method: 'POST',
    url: path,
    token: server.tokens.editor,
    body: booleanFlag(key),
  });
  return body.data.id;
}

const MAIN = {
  repository: 'github.com/acme/shop',
  branch: 'main',
  revision: 'a1b2c3',
  url_template: 'https://{repository}/blob/{revision}/{path}#L{line}',
};
/** What lists show, as far as it is looked at. */
interface Listed {
  readonly repository: string;
  readonly branch: string;
  readonly revision: string;
  readonly path: string;
  readonly url: string | null;
}

const place = (flag_key: string, path: string, line = 1, more: object = {}) => ({
  flag_key,
  path,
  line,
  ...more,
});
const put = (body: object, token = server.tokens.editor, path = url) =>
  server.call({ method: 'PUT', url: path, token, body });
const remove = (repository: string, branch: string) =>
  server.call({
    method: 'DELETE',
    url: `${url}?${new URLSearchParams({ repository, branch })}`,
    token: server.tokens.editor,
  });
const read = (path: string) => server.call({ url: path, token: server.tokens.viewer });
const placesOf = async (id = flagId) => (await read(`/flags/${id}/code-references`)).body;
const entries = async () =>
  (await server.call({ url: '/audit-log?resource_type=code_snapshot', token: server.tokens.admin })).body
    .data;

test('keeps where a branch names flags, and shows each place with its address', async () => {
  const { status, body } = await put({
    ...MAIN,
    references: [
      place('dark-mode', 'src/theme.ts', 12, { column: 8, context_hash: 'sha256:abc=' }),
      place('dark-mode', 'src/app.ts', 3),
      place('dark-mode', 'src/app.ts', 3),
      place('gone-flag', 'src/old.ts', 7),
    ],
  });
  expect([status, body.data]).toEqual([
    200,
    {
      id: expect.stringMatching(/^ref_/),
      project_id: server.projectId,
      ...MAIN,
      references_count: 3,
      flags_count: 2,
      unknown_flag_keys: ['gone-flag'],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  const { data, meta } = await placesOf();
  expect(meta.total).toBe(2);
  const { repository, branch, revision } = MAIN;
  const common = { repository, branch, revision, updated_at: body.data.updated_at };
  expect(data).toEqual([
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

test('replaces what the same branch of the same repository said, and nothing else', async () => {
  const references = [place('dark-mode', 'x.ts')];
  await put({ ...MAIN, references });
  await put({ ...MAIN, branch: 'next', references });
  await put({ ...MAIN, repository: 'github.com/acme/app', references, url_template: null });
  await put({ ...MAIN, revision: 'd4e5f6', references: [place('dark-mode', 'y.ts', 2)] });
  const { data } = await placesOf();
  expect(data.map((one: Listed) => [one.repository, one.branch, one.path, one.url])).toEqual([
    ['github.com/acme/app', 'main', 'x.ts', null],
    ['github.com/acme/shop', 'main', 'y.ts', 'https://github.com/acme/shop/blob/d4e5f6/y.ts#L2'],
    ['github.com/acme/shop', 'next', 'x.ts', 'https://github.com/acme/shop/blob/a1b2c3/x.ts#L1'],
  ]);
  const listed = (await read(`${url}?per_page=2`)).body;
  expect(listed.meta.total).toBe(3);
  expect(listed.data.map((one: Listed) => [one.repository, one.branch, one.revision])).toEqual([
    ['github.com/acme/app', 'main', 'a1b2c3'],
    ['github.com/acme/shop', 'main', 'd4e5f6'],
  ]);
  expect((await read(`/flags/${flagId}/code-references?per_page=1&page=3`)).body.data).toHaveLength(1);
});

test('forgets a branch that was merged', async () => {
  await put({ ...MAIN, branch: 'merged', references: [place('dark-mode', 'x.ts')] });
  expect((await remove(MAIN.repository, 'merged')).status).toBe(204);
  const { data } = await placesOf();
  expect(data.filter((one: { branch: string }) => one.branch === 'merged')).toEqual([]);
  const again = await remove(MAIN.repository, 'merged');
  expect([again.status, again.body.error.code]).toEqual([404, 'CODE_SNAPSHOT_NOT_FOUND']);
});

test('knows the places of a flag that is made after they were sent', async () => {
  await put({ ...MAIN, branch: 'early', references: [place('later-flag', 'x.ts')] });
  const id = await createFlag('later-flag');
  expect((await placesOf(id)).meta.total).toBe(1);
  const again = await put({ ...MAIN, branch: 'early', references: [place('later-flag', 'x.ts')] });
  expect(again.body.data.unknown_flag_keys).toEqual([]);
});

test('writes down what has changed, and not what was sent again', async () => {
  const references = [place('dark-mode', 'b.ts'), place('dark-mode', 'a.ts')];
  const branch = 'audited';
  await put({ ...MAIN, branch, references });
  await put({ ...MAIN, branch, references: [...references].reverse() });
  const moved = [place('dark-mode', 'b.ts', 2), place('dark-mode', 'a.ts')];
  await put({ ...MAIN, branch, references: moved, comment: 'moved' });
  await remove(MAIN.repository, branch);
  const own = (await entries()).filter((one: { resource: { key: string } }) =>
    one.resource.key.endsWith('@audited'),
  );
  expect(own.map((one: { action: string; comment: string }) => [one.action, one.comment])).toEqual([
    ['code_reference.removed', null],
    ['code_reference.updated', 'moved'],
    ['code_reference.updated', null],
  ]);
  expect(own[2].changes).toMatchObject({ references_count: { from: null, to: 2 } });
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
])('names what is wrong: %j', async (more, field) => {
  const { status, body } = await put({ ...MAIN, ...more });
  expect([status, body.error.details.fields.map((one: { field: string }) => one.field)]).toEqual([
    400,
    [field],
  ]);
});

test('takes twenty thousand places and no more', async () => {
  const references = Array.from({ length: 20_001 }, (_, line) =>
    place('dark-mode', 'src/long-name.ts', line + 1),
  );
  const over = await put({ ...MAIN, branch: 'large', references });
  expect([over.status, over.body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
  const { body } = await put({ ...MAIN, branch: 'large', references: references.slice(1) });
  expect(body.data).toMatchObject({ references_count: 20_000, flags_count: 1 });
  await remove(MAIN.repository, 'large');
});

test('is open to a token of a pipeline that can do nothing else', async () => {
  const tokenOf = async (scopes: string[], token = server.tokens.editor) =>
    (await server.call({ method: 'POST', url: '/auth/tokens', token, body: { name: 'ci', scopes } })).body
      .data.token as string;
  const body = { ...MAIN, branch: 'ci', references: [] };
  const scanner = await tokenOf(['code_references:write']);
  expect((await put(body, scanner)).status).toBe(200);
  expect((await server.call({ url, token: scanner })).status).toBe(200);
  const flag = { method: 'POST', url: `/flags?environment_id=${server.environments.staging}` } as const;
  const refused = await server.call({ ...flag, token: scanner, body: booleanFlag('by-ci') });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  expect((await put(body, await tokenOf(['read']))).status).toBe(403);
  expect((await put(body, await tokenOf(['flags:write']))).status).toBe(200);
  // A scope opens no more than the role.
  expect((await put(body, await tokenOf(['code_references:write'], server.tokens.viewer))).status).toBe(403);
});

test('warns whoever archives or deletes a flag that code still names', async () => {
  const id = await createFlag('still-named');
  const references = [place('still-named', 'a.ts'), place('still-named', 'b.ts')];
  await put({ ...MAIN, branch: 'warned', references });
  const flag = `/flags/${id}?environment_id=${server.environments.staging}`;
  const send = (method: 'POST' | 'DELETE', path: string, body?: object) =>
    server.call({ method, url: path, token: server.tokens.admin, body });
  const tried = await send('DELETE', `${flag}&dry_run=true`);
  expect(tried.body.data.plan[0].warnings).toMatchObject([
    { code: 'code-references', details: { places: 2 } },
  ]);
  expect((await send('DELETE', flag)).headers['x-flagsvc-warnings']).toBe('code-references=2');
  await send('POST', '/auth/reauthenticate', { password: PASSWORD });
  const deleted = await send('DELETE', `/flags/${id}/permanent?confirm_key=still-named`);
  expect([deleted.status, deleted.headers['x-flagsvc-warnings']]).toEqual([204, 'code-references=2']);
  const again = await put({ ...MAIN, branch: 'warned', references });
  expect(again.body.data.unknown_flag_keys).toEqual(['still-named']);
});
