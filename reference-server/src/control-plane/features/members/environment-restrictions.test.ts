import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
/** `admin` and `editor` call the API in development. */
let admin: Api;
let editor: Api;
let flagId: string;

beforeEach(async () => {
  server = await startServer();
  const { development } = server.environments;
  admin = server.as('admin').in(development);
  editor = server.as('editor').in(development);
  flagId = (await admin.flags.create(booleanFlag('checkout', { tags: ['critical'] }))).id;
  await restrictEditor('development');
});
afterEach(() => server.close());

async function restrictEditor(...keys: readonly (keyof TestServer['environments'])[]) {
  const { id } = await editor.auth.me();
  const environment_ids = keys.map((key) => server.environments[key]);
  await admin.members.update(server.organizationId, id, { environment_ids });
}

test('an editor restricted to some environments cannot make changes that affect other environments', async () => {
  const { projectId } = server;
  const segment = await admin.segments.create(projectId, { key: 'staff', conditions: [] });
  const update = (body: object) => editor.flags.update(flagId, body);
  const ownFields = [{ name: 'Renamed' }, { permanent: true }, { classification: 'ops_killswitch' }];
  for (const call of [
    ...ownFields.map((body) => () => update(body)),
    () => update({ tags: [], default_variation: 'on' }),
    () => editor.flags.markStale(flagId),
    () => editor.projects.renameTag(projectId, 'critical', { name: 'other' }),
    () => editor.projects.deleteTag(projectId, 'critical'),
    () => editor.segments.update(segment.id, { name: 'Renamed' }),
  ]) {
    expect(await codeOf(call()), String(call)).toBe('INSUFFICIENT_PERMISSIONS');
  }
  await restrictEditor('development', 'staging', 'production');
  for (const body of ownFields) expect(await codeOf(update(body))).toBe('OK');
});

test('an editor restricted to some environments can change drafts, and can change stale flags in those environments', async () => {
  await admin.flags.markStale(flagId);
  const unchanged = { name: 'Flag checkout', tags: ['critical'] };
  const updated = await editor.flags.update(flagId, { ...unchanged, default_variation: 'on' });
  expect(updated).toMatchObject({ status: 'active', default_variation: 'on' });

  const draft = await editor.flags.create(booleanFlag('draft', { draft: true }));
  const named = await editor.flags.update(draft.id, { name: 'Named', tags: ['x'] });
  expect(named).toMatchObject({ status: 'draft', name: 'Named', tags: ['x'] });
});
