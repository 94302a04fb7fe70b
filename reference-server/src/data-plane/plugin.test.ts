import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDataPlane, type TestDataPlane } from '../../test/data-plane.ts';

let plane: TestDataPlane;
beforeEach(async () => {
  plane = await createDataPlane();
});
afterEach(() => plane.app.close());

test('meters evaluated flags and the valid events of each new batch', async () => {
  await plane.evaluate({ flags: ['dark-mode', 'dark-mode'], context: { user_key: 'u' } });
  await plane.evaluate({ flags: ['*'], context: { user_key: 'u' } });
  await plane.evaluate({ flags: ['*'], context: {} });
  const events = [
    { type: 'track', id: 'a', timestamp: '2026-11-20T10:00:00Z', event_name: 'buy', user_key: 'u' },
    {},
  ];
  const batch = JSON.stringify({
    batch_id: 'b',
    sent_at: '2026-11-20T10:00:00Z',
    sdk: { name: 'x', version: '1' },
    events,
  });
  for (const _ of [1, 2]) expect((await plane.sendEvents(batch)).statusCode).toBe(202);
  expect(plane.metered).toEqual([
    ['org_1', 'evaluations', 1],
    ['org_1', 'evaluations', 2],
    ['org_1', 'events', 1],
  ]);
});

test.each(['/api/v1/evaluate', '/api/v1/sdk/ruleset', '/api/v1/sdk/events'])(
  'requires an API key for %s',
  async (url) => {
    const method = url.endsWith('ruleset') ? 'GET' : 'POST';
    const none = await plane.app.inject({ method, url });
    expect([none.statusCode, none.json().error.code]).toEqual([401, 'UNAUTHENTICATED']);
    const token = await plane.app.inject({ method, url, headers: { authorization: 'Bearer x.y.z' } });
    expect([token.statusCode, token.json().error.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(token.json().error.message).toContain('X-API-Key');
    const wrong = await plane.app.inject({ method, url, headers: { 'x-api-key': 'toString' } });
    expect([wrong.statusCode, wrong.json().error.code]).toEqual([401, 'INVALID_API_KEY']);
  },
);

test('warns in a header when a browser uses a server key', async () => {
  const warnings = async (key: string, headers: Record<string, string>) => {
    const answer = await plane.app.inject({
      url: '/api/v1/sdk/ruleset',
      headers: { 'x-api-key': key, ...headers },
    });
    return answer.headers['x-flagsvc-warnings'];
  };
  expect(await warnings('sdk-dev-server', { 'sec-fetch-site': 'same-origin' })).toBe('server-key');
  expect(await warnings('sdk-dev-server', {})).toBeUndefined();
  expect(await warnings('sdk-dev-client', { 'sec-fetch-site': 'cross-site' })).toBeUndefined();
});
