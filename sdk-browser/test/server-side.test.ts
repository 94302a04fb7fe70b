/** What a page needs from the server over HTTP: CORS, keys of kind `client`, and their rate limit. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, startApi } from './browser/api.ts';

const ORIGIN = 'http://127.0.0.1:5999';
let api: Api;

beforeAll(async () => {
  api = await startApi(ORIGIN);
  await api.createFlag('for-pages', 'a');
  await api.createFlag('for-servers', 'b', { client_side: false });
}, 60_000);
afterAll(() => api.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they check
  readonly body: any;
}
const ask = (
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
    from,
  }: { method?: string; headers?: object; body?: unknown; from?: string } = {},
) =>
  new Promise<Answer>((resolve, reject) => {
    const sent = request(api.baseUrl + path, {
      method,
      headers: {
        origin: ORIGIN,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(from && { localAddress: from }),
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: text ? JSON.parse(text) : undefined,
        }),
      );
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
const evaluation = { flags: ['*'], context: { user_key: 'u1' } };

test.each([
  ['GET', '/sdk/ruleset', 'if-none-match,x-api-key'],
  ['POST', '/evaluate', 'content-type,x-api-key'],
  ['POST', '/sdk/events', 'content-type,x-api-key'],
])(
  'allows %s %s with the headers of the SDK, and lets browsers cache the preflight',
  async (method, path, headers) => {
    const preflight = (origin: string) =>
      ask(path, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': headers,
        },
      });
    const { status, headers: said } = await preflight(ORIGIN);
    expect(status).toBe(204);
    expect(said['access-control-allow-origin']).toBe(ORIGIN);
    expect(said['access-control-allow-methods']).toContain(method);
    expect(said['access-control-allow-headers']!.split(/,\s*/).sort()).toEqual(headers.split(','));
    expect(Number(said['access-control-max-age'])).toBe(7200);
    const other = await preflight('https://elsewhere.example');
    expect(other.headers['access-control-allow-origin']).not.toBe('https://elsewhere.example');
  },
);

test('exposes the headers that the SDK reads, for good and bad answers', async () => {
  const key = { 'x-api-key': api.clientKey };
  const good = await ask('/sdk/ruleset', { headers: key });
  const unchanged = await ask('/sdk/ruleset', { headers: { ...key, 'if-none-match': good.headers.etag } });
  const refused = await ask('/sdk/ruleset', { headers: { 'x-api-key': 'sdk-dev-wrong' } });
  const wrong = await ask('/evaluate', { method: 'POST', headers: key, body: {} });
  expect([good, unchanged, refused, wrong].map(({ status }) => status)).toEqual([200, 304, 401, 400]);
  for (const { headers } of [good, unchanged, refused, wrong]) {
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    const exposed = headers['access-control-expose-headers']!.toLowerCase().split(/,\s*/);
    expect(exposed).toEqual(
      expect.arrayContaining([
        'etag',
        'retry-after',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'x-flagsvc-warnings',
      ]),
    );
  }
});

test('a key of kind client sees only flags marked for pages, in the ruleset and in evaluations', async () => {
  const seen = async (key: string) => {
    const headers = { 'x-api-key': key };
    const ruleset = await ask('/sdk/ruleset', { headers });
    const all = await ask('/evaluate', { method: 'POST', headers, body: evaluation });
    const one = await ask('/evaluate', {
      method: 'POST',
      headers,
      body: { ...evaluation, flags: ['for-servers'] },
    });
    return [
      ruleset.body.data.flags.map(({ key: name }: { key: string }) => name),
      Object.keys(all.body.data.evaluations),
      one.body.data.evaluations['for-servers'].reason,
    ];
  };
  expect(await seen(api.clientKey)).toEqual([['for-pages'], ['for-pages'], 'FLAG_NOT_FOUND']);
  const [flags, evaluated, reason] = await seen(api.serverKey);
  expect([flags.toSorted(), evaluated.toSorted()]).toEqual(Array(2).fill(['for-pages', 'for-servers']));
  expect(reason).toBe('DEFAULT');
});

test('the ruleset limit applies per address for a client key, and to all addresses together for a server key', async () => {
  const [one, other] = process.platform === 'linux' ? ['127.0.0.1', '127.0.0.2'] : [undefined, undefined];
  const statusOf = async (key: string, from: string | undefined) =>
    ask('/sdk/ruleset', { headers: { 'x-api-key': key }, ...(from && { from }) });
  for (const key of [api.clientKey, api.serverKey]) {
    let last = await statusOf(key, one);
    for (let calls = 0; last.status === 200 && calls < 120; calls++) last = await statusOf(key, one);
    expect(last.status).toBe(429);
    expect(last.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
    if (other) expect((await statusOf(key, other)).status).toBe(key === api.clientKey ? 200 : 429);
  }
});
