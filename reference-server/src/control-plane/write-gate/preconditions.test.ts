import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../test/api.ts';
import { refused } from '../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../test/server.ts';

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startServer();
  api = server.as('admin').in(server.environments.staging);
});
afterAll(() => server.close());

/** The details of a refusal; expects it to be a 412 with the current revision as its entity tag. */
async function staleDetails(call: Promise<unknown>) {
  const { code, details, headers } = await refused(call);
  expect(code).toBe('PRECONDITION_FAILED');
  expect(headers.etag).toBe(`"${details.current_revision}"`);
  return details;
}

test("reports what others have changed in a flag since the caller's revision", async () => {
  const { id, revision } = await api.flags.create(booleanFlag('shared'));
  const base = `"${revision}"`;
  const rule = { priority: 1, name: 'all', conditions: [], variation: 'on' };
  await api.flags.update(id, { targeting_rules: [rule] });
  await api.flags.update(id, { name: 'Renamed by another', tags: ['x'] });
  const details = await staleDetails(api.flags.update(id, { name: 'Mine' }, { ifMatch: base }));
  expect(details).toEqual({
    current_revision: 3,
    diff_basis: 'if_match',
    diff: {
      name: { from: 'Flag shared', to: 'Renamed by another' },
      tags: { from: [], to: ['x'] },
      targeting_rules: { from: [], to: [expect.objectContaining({ name: 'all' })] },
    },
  });
  expect(await staleDetails(api.flags.toggle(id, true, { ifMatch: base }))).toEqual(details);
});

test('reports the changes since the newest stored revision when If-Match names several', async () => {
  const { id, revision } = await api.flags.create(booleanFlag('several'));
  await api.flags.update(id, { name: 'Second' });
  await api.flags.update(id, { tags: ['x'] });
  const ifMatch = `"99", W/"2", "${revision}"`;
  const { diff } = await staleDetails(api.flags.update(id, { name: 'Mine' }, { ifMatch }));
  expect(Object.keys(diff)).toEqual(['tags']);
});

test.each(['"4711"', '"not a number"'])(
  'reports the requested changes when no revision %s is stored',
  async (ifMatch) => {
    const flag = booleanFlag(`unknown-${ifMatch.length}`);
    const { id } = await api.flags.create(flag);
    expect(await staleDetails(api.flags.update(id, { name: 'Mine' }, { ifMatch }))).toEqual({
      current_revision: 1,
      diff_basis: 'request',
      diff: { name: { from: flag.name, to: 'Mine' } },
    });
  },
);

test('reports the requested changes of resources whose revisions are not stored', async () => {
  const body = { key: 'staff', name: 'Staff', conditions: [] };
  const { id } = await api.segments.create(server.projectId, body);
  await api.segments.update(id, { name: 'Employees' });
  const update = api.segments.update(id, { name: 'Everybody', tags: ['t'] }, { ifMatch: 1 });
  expect(await staleDetails(update)).toEqual({
    current_revision: 2,
    diff_basis: 'request',
    diff: { name: { from: 'Employees', to: 'Everybody' }, tags: { from: [], to: ['t'] } },
  });
  const { diff } = await staleDetails(api.segments.delete(id, { ifMatch: 1 }));
  expect(diff.name).toEqual({ from: 'Employees', to: null });
});

test('reports no secret', async () => {
  const { id, key } = await api.apiKeys.create(server.environments.staging, { name: 'k' });
  const { diff } = await staleDetails(api.apiKeys.update(id, { name: 'l' }, { ifMatch: 7 }));
  expect(diff).toEqual({ name: { from: 'k', to: 'l' } });
  const rotation = await staleDetails(api.apiKeys.rotate(id, {}, { ifMatch: 7 }));
  expect(JSON.stringify(rotation)).not.toContain(key);
});

test.each(['"5"', '*'])('creates no flag for an upsert with If-Match %s', async (ifMatch) => {
  const { key: _, ...body } = booleanFlag('absent');
  const { status, headers, details } = await refused(
    api.flags.upsert(server.projectId, 'absent', body, { ifMatch }),
  );
  expect([status, headers.etag]).toEqual([412, undefined]);
  expect(details).toMatchObject({ current_revision: null, diff_basis: 'request' });
});
