import { afterEach, describe, expect, test } from 'vitest';
import { startDashboard, type TestDashboard } from '../../test/dashboard.ts';
import { PASSWORD } from '../../test/server.ts';

let server: TestDashboard;
afterEach(() => server.close());

const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` });

describe('a session', () => {
  test('keeps the refresh token in a cookie that only /auth of the page receives', async () => {
    server = await startDashboard();
    const { answer, setCookie } = await server.logIn();
    expect(answer.json.data).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 86_400,
      user_id: expect.stringMatching(/^usr_/),
    });
    expect(answer.text).not.toContain('rt_');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(setCookie).toMatch(
      new RegExp(
        `^flagsvc_refresh_${server.port}=rt_[\\w-]+; Max-Age=2592000; Path=/auth; HttpOnly; SameSite=Strict$`,
      ),
    );
  });

  test('has a secure cookie with the prefix __Secure- under https', async () => {
    server = await startDashboard({ url: 'https://flags.example.com' });
    const { setCookie, cookie } = await server.logIn();
    expect(setCookie).toMatch(/^__Secure-flagsvc_refresh=rt_.*; HttpOnly; SameSite=Strict; Secure$/);
    const renewed = await server.fromPage('/auth/refresh', undefined, { cookie });
    expect(renewed.status).toBe(200);
    expect(renewed.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  test('is renewed by two tabs at the same moment', async () => {
    server = await startDashboard();
    const { cookie } = await server.logIn();
    const both = await Promise.all(
      ['one', 'two'].map(() => server.fromPage('/auth/refresh', undefined, { cookie })),
    );
    for (const { status, json, headers } of both) {
      expect(status).toBe(200);
      expect(headers['set-cookie']).toBeUndefined();
      const me = await server.send({ path: '/api/v1/auth/me', headers: bearer(json.data!['access_token']) });
      expect(me.json.data).toMatchObject({ email: 'ada@example.com' });
    }
  });

  test('is renewed more often than people may log in', async () => {
    server = await startDashboard({ limits: { auth: 4, credentials: 2 } });
    const { cookie } = await server.logIn();
    const statuses: number[] = [];
    for (let count = 0; count < 8; count++)
      statuses.push((await server.fromPage('/auth/refresh', undefined, { cookie })).status);
    expect(statuses).toEqual(Array(8).fill(200));
    for (let count = 0; count < 2; count++) {
      await server.fromPage('/auth/refresh', undefined, { cookie: `flagsvc_refresh_${server.port}=rt_x` });
    }
    const guess = await server.fromPage('/auth/refresh', undefined, {
      cookie: `flagsvc_refresh_${server.port}=rt_y`,
    });
    expect(guess.status).toBe(429);
    expect(guess.headers['retry-after']).toBeDefined();
    expect(guess.headers['set-cookie']).toBeUndefined();
  });

  test('is renewed although others behind the same address mistyped their passwords', async () => {
    server = await startDashboard({ limits: { auth: 3 } });
    const { cookie } = await server.logIn();
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      const body = { email: 'grace@example.com', password: 'wrong password' };
      statuses.push((await server.fromPage('/auth/login', body)).status);
    }
    expect(statuses).toEqual([401, 429, 429]);
    expect((await server.fromPage('/auth/refresh', undefined, { cookie })).status).toBe(200);
    expect((await server.fromPage('/auth/logout', undefined, { cookie })).status).toBe(204);
  });

  test('ends by logout, for its access token and its cookie', async () => {
    server = await startDashboard();
    const { cookie, answer } = await server.logIn();
    const ended = await server.fromPage('/auth/logout', undefined, { cookie });
    expect([ended.status, ended.text]).toEqual([204, '']);
    expect(ended.headers['set-cookie']).toEqual([
      `flagsvc_refresh_${server.port}=; Max-Age=0; Path=/auth; HttpOnly; SameSite=Strict`,
    ]);
    const me = await server.send({
      path: '/api/v1/auth/me',
      headers: bearer(answer.json.data!['access_token']),
    });
    expect(me.status).toBe(401);
    const renewed = await server.fromPage('/auth/refresh', undefined, { cookie });
    expect([renewed.status, renewed.json.error!.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    expect(renewed.headers['set-cookie']![0]).toContain('Max-Age=0');
    const log = await server.db.selectFrom('audit_entries').select('action').execute();
    expect(log.map(({ action }) => action)).toContain('auth.refresh_refused');
  });

  test('ends by logout with the access token alone, and a second logout does no harm', async () => {
    server = await startDashboard();
    const { answer, cookie } = await server.logIn();
    const headers = bearer(answer.json.data!['access_token']);
    expect((await server.fromPage('/auth/logout', undefined, headers)).status).toBe(204);
    expect((await server.fromPage('/auth/refresh', undefined, { cookie })).status).toBe(401);
    expect((await server.fromPage('/auth/logout', undefined, { ...headers, cookie })).status).toBe(204);
    expect((await server.fromPage('/auth/logout')).status).toBe(204);
  });

  test('ends by logout together with that of another person who logged in later', async () => {
    server = await startDashboard();
    const ada = await server.logIn();
    const mallory = await server.logIn('mallory@example.com');
    const tokens = [ada, mallory].map(({ answer }) => bearer(answer.json.data!['access_token']));
    expect(ada.answer.json.data!['user_id']).not.toBe(mallory.answer.json.data!['user_id']);
    const headers = { ...tokens[0], cookie: mallory.cookie };
    expect((await server.fromPage('/auth/logout', undefined, headers)).status).toBe(204);
    for (const one of tokens)
      expect((await server.send({ path: '/api/v1/auth/me', headers: one })).status).toBe(401);
    for (const { cookie } of [ada, mallory])
      expect((await server.fromPage('/auth/refresh', undefined, { cookie })).status).toBe(401);
  });

  test('ends by logout beside a cookie that another program planted', async () => {
    server = await startDashboard();
    const { cookie, answer } = await server.logIn();
    const { cookie: planted } = await server.logIn('mallory@example.com');
    const both = { cookie: `${planted}; ${cookie}` };
    expect((await server.fromPage('/auth/logout', undefined, both)).status).toBe(204);
    const headers = bearer(answer.json.data!['access_token']);
    expect((await server.send({ path: '/api/v1/auth/me', headers })).status).toBe(401);
  });

  test('ends by logout without a trace of theft in the log', async () => {
    server = await startDashboard();
    const { cookie, answer } = await server.logIn();
    const headers = { ...bearer(answer.json.data!['access_token']), cookie };
    expect((await server.fromPage('/auth/logout', undefined, headers)).status).toBe(204);
    const log = await server.db.selectFrom('audit_entries').select('action').execute();
    const actions = log.map(({ action }) => action);
    expect(actions.filter((action) => action === 'auth.logout')).toHaveLength(1);
    expect(actions).not.toContain('auth.refresh_refused');
  });

  test('is opened by the second factor', async () => {
    server = await startDashboard();
    const wrong = await server.fromPage('/auth/mfa/verify', { mfa_token: 'x', code: '123456' });
    expect([wrong.status, wrong.json.error!.code]).toEqual([401, 'INVALID_MFA_TOKEN']);
  });
});

describe('cookies of other programs on the host', () => {
  test('cannot end a session', async () => {
    server = await startDashboard();
    const { cookie } = await server.logIn();
    const name = `flagsvc_refresh_${server.port}`;
    const planted = `${name}=rt_planted; ${cookie}; ${name}=; ${name}="; other=1; ${name}2=rt_x`;
    expect((await server.fromPage('/auth/refresh', undefined, { cookie: planted })).status).toBe(200);
    const twice = `${cookie}; ${cookie}`;
    expect((await server.fromPage('/auth/refresh', undefined, { cookie: twice })).status).toBe(200);
  });

  test('cannot move a person into the session of another', async () => {
    server = await startDashboard();
    const { cookie } = await server.logIn();
    const { cookie: planted } = await server.logIn('mallory@example.com');
    const refused = await server.fromPage('/auth/refresh', undefined, { cookie: `${planted}; ${cookie}` });
    expect([refused.status, refused.json.error!.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    expect(refused.headers['set-cookie']![0]).toContain('Max-Age=0');
  });

  test('are refused when there are many', async () => {
    server = await startDashboard();
    const name = `flagsvc_refresh_${server.port}`;
    const cookie = Array.from({ length: 50 }, (_, index) => `${name}=rt_${index}`).join('; ');
    expect((await server.fromPage('/auth/refresh', undefined, { cookie })).status).toBe(401);
  });
});

describe('requests that no page of the dashboard sends', () => {
  const attempts: readonly [string, Record<string, string>][] = [
    ['without the header', { 'x-requested-with': '' }],
    ['with the header of another program', { 'x-requested-with': 'XMLHttpRequest' }],
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from another port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:5000' }],
    ['from the address bar', { 'sec-fetch-site': 'none' }],
    ['with another origin', { origin: 'http://evil.example' }],
    ['from a sandboxed frame', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ];
  test.each(attempts)('are refused %s', async (_, headers) => {
    server = await startDashboard();
    const { cookie } = await server.logIn();
    for (const path of ['/auth/refresh', '/auth/logout', '/auth/login']) {
      const answer = await server.fromPage(path, {}, { cookie, ...headers });
      expect([answer.status, answer.json.error!.code]).toEqual([403, 'CROSS_SITE_REQUEST']);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await server.fromPage('/auth/refresh', undefined, { cookie })).status).toBe(200);
  });

  test('are refused from browsers that only send the origin', async () => {
    server = await startDashboard();
    const { cookie } = await server.logIn();
    const old = (origin: string) =>
      server.send({
        method: 'POST',
        path: '/auth/refresh',
        headers: { origin, cookie, 'x-requested-with': 'flagsvc-dashboard' },
      });
    expect((await old(server.origin)).status).toBe(200);
    for (const origin of ['null', 'http://localhost', `${server.origin}.evil.example`, ''])
      expect((await old(origin)).status).toBe(403);
  });

  test('get no preflight that would allow them', async () => {
    server = await startDashboard();
    const answer = await server.send({
      method: 'OPTIONS',
      path: '/auth/refresh',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBe(405);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('scripts of a page', () => {
  const ways = [
    '/api/v1/auth/login',
    '/api/v1/%61uth/login',
    '/api/v1/auth/login?x=1',
    '/api/v1/auth/mfa/verify',
  ];
  test.each(ways)('get no refresh token by %s', async (path) => {
    server = await startDashboard();
    await server.logIn();
    const body = { email: 'ada@example.com', password: PASSWORD };
    const answer = await server.send({ method: 'POST', path, body });
    expect([answer.status, answer.text.includes('rt_')]).toEqual([404, false]);
    expect(answer.json.error!.message).toContain('keeps the refresh token in a cookie');
    // On its own address, the API opens sessions as always.
    expect((await server.anonymous.auth.login(body)).refresh_token).toMatch(/^rt_/);
  });

  test('cannot pose as the server to avoid limits', async () => {
    server = await startDashboard({ limits: { auth: 3 } });
    const { cookie } = await server.logIn();
    const [, token] = cookie.split('=');
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      const headers = { 'x-flagsvc-dashboard-proof': 'guess' };
      const body = { refresh_token: token };
      statuses.push(
        (await server.send({ method: 'POST', path: '/api/v1/auth/refresh', body, headers })).status,
      );
    }
    expect(statuses).toEqual([200, 429, 429]);
  });
});

test('bodies of sessions are limited and judged by the API', async () => {
  server = await startDashboard();
  const login = (body: unknown, headers = {}) => server.fromPage('/auth/login', body, headers);
  expect((await login('{')).json.error!.code).toBe('MALFORMED_JSON');
  expect((await login({})).json.error!.code).toBe('VALIDATION_ERROR');
  expect((await login('a=1', { 'content-type': 'text/plain' })).status).toBe(415);
  const large = await login({ email: 'x'.repeat(70_000) });
  expect([large.status, large.json.error!.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect((await server.fromPage('/auth/unknown', {})).status).toBe(404);
  expect((await server.fromPage('/auth', {})).status).toBe(404);
  const read = await server.send({ path: '/auth/refresh' });
  expect([read.status, read.headers.allow]).toEqual([405, 'POST']);
});
