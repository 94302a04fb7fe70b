import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../test/server.ts';

let server: TestServer;
let staging: string;
beforeAll(async () => {
  server = await startServer();
  ({ staging } = server.environments);
});
afterAll(() => server.close());

const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object, ifMatch?: string) =>
  server.call({
    method,
    url,
    token: server.tokens.admin,
    body,
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
  });

/** The details of an answer that must be a 412. */
async function stale(...call: Parameters<typeof send>) {
  const { status, body, headers } = await send(...call);
  expect([status, body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
  expect(headers.etag).toBe(`"${body.error.details.current_revision}"`);
  return body.error.details;
}

test("tells what others have changed of a flag since the caller's revision", async () => {
  const made = await send('POST', `/flags?environment_id=${staging}`, booleanFlag('shared'));
  const url = `/flags/${made.body.data.id}?environment_id=${staging}`;
  const based = made.headers.etag as string;
  const rule = { priority: 1, name: 'all', conditions: [], variation: 'on' };
  await send('PUT', url, { targeting_rules: [rule] });
  await send('PUT', url, { name: 'Renamed by another', tags: ['x'] });
  const details = await stale('PUT', url, { name: 'Mine' }, based);
  expect(details).toEqual({
    current_revision: 3,
    diff_basis: 'if_match',
    diff: {
      name: { from: 'Flag shared', to: 'Renamed by another' },
      tags: { from: [], to: ['x'] },
      targeting_rules: { from: [], to: [expect.objectContaining({ name: 'all' })] },
    },
  });
  // Of several revisions that the caller would take, the newest one that is known counts.
  const several = await stale('PUT', url, { name: 'Mine' }, `"99", W/"2", ${based}`);
  expect(Object.keys(several.diff)).toEqual(['name', 'tags']);
  const toggled = await stale('POST', url.replace('?', '/toggle?'), { enabled: true }, based);
  expect(toggled).toEqual(details);
});

test('tells what the request would change where the revision that it names is not kept', async () => {
  const made = await send('POST', `/flags?environment_id=${staging}`, booleanFlag('guessed'));
  const url = `/flags/${made.body.data.id}?environment_id=${staging}`;
  expect(await stale('PUT', url, { name: 'Mine' }, '"4711"')).toEqual({
    current_revision: 1,
    diff_basis: 'request',
    diff: { name: { from: 'Flag guessed', to: 'Mine' } },
  });
  expect((await stale('PUT', url, { name: 'Mine' }, '"not a number"')).diff_basis).toBe('request');
});

test('tells what the request would change of resources whose revisions are not kept', async () => {
  const body = { key: 'staff', name: 'Staff', conditions: [] };
  const segment = await send('POST', `/projects/${server.projectId}/segments`, body);
  const url = `/segments/${segment.body.data.id}`;
  await send('PUT', url, { name: 'Employees' });
  expect(await stale('PUT', url, { name: 'Everybody', tags: ['t'] }, '"1"')).toEqual({
    current_revision: 2,
    diff_basis: 'request',
    diff: { name: { from: 'Employees', to: 'Everybody' }, tags: { from: [], to: ['t'] } },
  });
  const removal = await stale('DELETE', url, undefined, '"1"');
  expect(removal.diff.name).toEqual({ from: 'Employees', to: null });
});

test('shows no secret of what it compares', async () => {
  const key = await send('POST', `/environments/${staging}/api-keys`, { name: 'k' });
  const details = await stale('PATCH', `/api-keys/${key.body.data.id}`, { name: 'l' }, '"7"');
  expect(details.diff).toEqual({ name: { from: 'k', to: 'l' } });
  const rotation = await stale('POST', `/api-keys/${key.body.data.id}/rotate`, {}, '"7"');
  expect(JSON.stringify(rotation)).not.toContain(key.body.data.key);
});

test('makes no flag for a caller who wants to change one', async () => {
  const { key: _, ...body } = booleanFlag('absent');
  const url = `/projects/${server.projectId}/flags/by-key/absent?environment_id=${staging}`;
  for (const tag of ['"5"', '*']) {
    const refused = await send('PUT', url, body, tag);
    expect([refused.status, refused.headers.etag]).toEqual([412, undefined]);
    expect(refused.body.error.details).toMatchObject({ current_revision: null, diff_basis: 'request' });
  }
  expect((await send('PUT', url, body)).status).toBe(201);
});
