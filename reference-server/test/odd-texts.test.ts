import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const admin = (method: 'GET' | 'POST', url: string, body?: object) =>
  server.call({ method, url, token: server.tokens.admin, ...(body && { body }) });
const createFlag = (key: string, more: object) =>
  admin('POST', `/flags?environment_id=${server.environments.staging}`, booleanFlag(key, more));
const keysWith = async (tag: string): Promise<readonly string[]> => {
  const query = `environment_id=${server.environments.staging}&tag=${encodeURIComponent(tag)}`;
  const { status, body } = await admin('GET', `/flags?${query}`);
  expect([tag, status]).toEqual([tag, 200]);
  return body.data.map(({ key }: { key: string }) => key);
};

test('half a character and a NUL among tags hide no other tag', async () => {
  const tags = ['plain', '\ud800', 'a\0b', '\\ud800', '\\\\u0000', '\u0001', 'ü😀'];
  expect((await createFlag('odd', { tags })).status).toBe(201);
  for (const tag of ['plain', '\\ud800', '\\\\u0000', '\u0001', 'ü😀']) {
    expect([tag, await keysWith(tag)]).toEqual([tag, ['odd']]);
  }
  const { status, body } = await admin('GET', `/projects/${server.projectId}/tags`);
  expect([status, body.data.length]).toEqual([200, tags.length]);
});

test.each([
  ['a\0', 'the character U+0000'],
  ['\0b', 'the character U+0000'],
  ['a\ud800b', 'half a surrogate pair'],
])('a name that holds %j is refused, and says why', async (name, what) => {
  const { status, body } = await createFlag('refused', { name });
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.details.fields).toMatchObject([
    { field: 'name', message: `has ${what}, which cannot be stored` },
  ]);
});

test('a comment of a header is not cut within a character', async () => {
  const { id } = (await createFlag('commented', {})).body.data;
  const comment = `${'x'.repeat(1_999)}😀`;
  const { status } = await server.call({
    method: 'DELETE',
    url: `/flags/${id}?environment_id=${server.environments.staging}`,
    token: server.tokens.admin,
    headers: { 'x-change-comment': Buffer.from(comment).toString('latin1') },
  });
  expect(status).toBe(204);
});

test('a value that holds a NUL is kept as it is', async () => {
  const variations = [{ key: 'one', name: 'One', value: 'a\0b\ud800' }];
  const made = await createFlag('value', { flag_type: 'string', variations, default_variation: 'one' });
  expect(made.status).toBe(201);
  const read = await admin(
    'GET',
    `/flags/${made.body.data.id}?environment_id=${server.environments.staging}`,
  );
  expect(read.body.data.variations[0].value).toBe('a\0b\ud800');
});

test('an event with a text that is not stored is rejected alone', async () => {
  const made = await admin('POST', `/environments/${server.environments.staging}/api-keys`, { name: 'k' });
  const timestamp = '2026-11-20T10:00:00.000Z';
  const event = (id: string, more: object = {}) => {
    return { type: 'track', id, timestamp, event_name: 'bought', user_key: 'u', ...more };
  };
  const properties = { note: 'a\0b', half: '\ud800' };
  const events = [event('1'), event('2', { user_key: 'u\0' }), event('3\ud800'), event('4', { properties })];
  const { body } = await server.call({
    method: 'POST',
    url: '/sdk/events',
    headers: { 'x-api-key': made.body.data.key },
    body: { batch_id: 'b', events },
  });
  const rejected = [1, 2].map((index) => ({ index, code: 'VALIDATION_ERROR' }));
  expect(body.data).toMatchObject({ accepted: 2, rejected });
});
