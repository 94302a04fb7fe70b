import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.ts';
import { refused } from './api-call.ts';
import { booleanFlag, type FlagBody, startServer, type TestServer } from './server.ts';

let server: TestServer;
/** The admin's client of the API, with staging as its environment. */
let api: Api;
beforeAll(async () => {
  server = await startServer();
  api = server.as('admin').in(server.environments.staging);
});
afterAll(() => server.close());

const createFlag = (key: string, more: Partial<FlagBody>) => api.flags.create(booleanFlag(key, more));

test('tags are found even if other tags of the flag contain a lone surrogate or a NUL', async () => {
  const tags = ['plain', '\ud800', 'a\0b', '\\ud800', '\\\\u0000', '\u0001', 'ü😀'];
  await createFlag('odd', { tags });
  for (const tag of ['plain', '\\ud800', '\\\\u0000', '\u0001', 'ü😀']) {
    const found = await api.flags.list({ tag });
    expect([tag, found.map(({ key }) => key)]).toEqual([tag, ['odd']]);
  }
  expect(await api.projects.listTags(server.projectId)).toHaveLength(tags.length);
});

test.each([
  ['a\0', 'the character U+0000'],
  ['\0b', 'the character U+0000'],
  ['a\ud800b', 'half a surrogate pair'],
])('a flag cannot have the name %j, and the refusal gives the reason', async (name, what) => {
  const { code, details } = await refused(createFlag('refused', { name }));
  expect(code).toBe('VALIDATION_ERROR');
  expect(details.fields).toMatchObject([{ field: 'name', message: `has ${what}, which cannot be stored` }]);
});

test('X-Change-Comment counts a character of two UTF-16 units as one toward its length limit', async () => {
  const { id } = await createFlag('commented', {});
  const comment = `${'x'.repeat(1_999)}😀`;
  const { status } = await api.flags.archive(id, { comment: Buffer.from(comment).toString('latin1') }).answer;
  expect(status).toBe(204);
});

test('the value of a variation keeps a NUL and a lone surrogate', async () => {
  const variations = [{ key: 'one', name: 'One', value: 'a\0b\ud800' }];
  const { id } = await createFlag('value', { flag_type: 'string', variations, default_variation: 'one' });
  expect((await api.flags.get(id)).variations[0]!.value).toBe('a\0b\ud800');
});

test('of a batch, only the events with text that cannot be stored are rejected', async () => {
  const { key } = await api.apiKeys.create(server.environments.staging, { name: 'k' });
  const timestamp = '2026-11-20T10:00:00.000Z';
  const event = (id: string, more: object = {}) => {
    return { type: 'track' as const, id, timestamp, event_name: 'bought', user_key: 'u', ...more };
  };
  const properties = { note: 'a\0b', half: '\ud800' };
  const events = [event('1'), event('2', { user_key: 'u\0' }), event('3\ud800'), event('4', { properties })];
  const result = await server.withKey(key!).dataPlane.sendEvents({ batch_id: 'b', events });
  const rejected = [1, 2].map((index) => ({ index, code: 'VALIDATION_ERROR' }));
  expect(result).toMatchObject({ accepted: 2, rejected });
});
