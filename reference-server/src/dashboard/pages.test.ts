import { afterEach, describe, expect, test } from 'vitest';
import { SCRIPT, startDashboard, type TestDashboard } from '../../test/dashboard.ts';

let server: TestDashboard;
afterEach(() => server.close());

const ASSET = '/assets/main-1a2b3c.js';

describe('pages', () => {
  test('have a policy with a nonce of their own', async () => {
    server = await startDashboard();
    const seen = new Set<string>();
    const paths = [
      '/',
      '/index.html',
      '/%69ndex.html',
      '//',
      '/index',
      '/o/org_1/p/prj_1/flags/new.checkout?a=b',
    ];
    for (const path of paths) {
      const { status, headers, text } = await server.send({ path });
      expect(status).toBe(200);
      const [, nonce] = /'nonce-([\w+/=]{24})'/.exec(headers['content-security-policy'] as string)!;
      seen.add(nonce!);
      expect(text.split(`nonce="${nonce}"`)).toHaveLength(3);
      expect(text).not.toContain('__CSP_NONCE__');
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
          "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['permissions-policy']).toContain('camera=()');
      expect(headers['strict-transport-security']).toBeUndefined();
    }
    expect(seen.size).toBe(paths.length);
  });

  test('say how to build the dashboard when it is not built', async () => {
    server = await startDashboard({ isBuilt: false });
    const { status, text } = await server.send({ path: '/' });
    expect([status, text]).toEqual([503, expect.stringContaining('npm run build')]);
    expect((await server.send({ path: '/health' })).status).toBe(200);
  });

  test('that cannot be read leave the server running', async () => {
    server = await startDashboard();
    server.removeFiles();
    const { status, json } = await server.send({ path: '/' });
    expect([status, json.error!.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect((await server.send({ path: '/health' })).status).toBe(200);
  });

  test('refuse other methods', async () => {
    server = await startDashboard();
    const head = await server.send({ method: 'HEAD', path: '/' });
    expect([head.status, head.text, Number(head.headers['content-length']) > 50]).toEqual([200, '', true]);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
      const answer = await server.send({ method, path: '/' });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
    const options = await server.send({ method: 'OPTIONS', path: '/' });
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD']);
  });
});

describe('files', () => {
  test('with a hash in their name are kept for a year and sent compressed', async () => {
    server = await startDashboard();
    const plain = await server.send({ path: ASSET });
    expect([plain.status, plain.text]).toEqual([200, SCRIPT]);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const { headers } = await server.send({ path: ASSET, headers: { 'accept-encoding': accepted } });
      expect(headers['content-encoding']).toBe(sent);
      expect(headers['content-type']).toBe('text/javascript');
    }
    const head = await server.send({ method: 'HEAD', path: ASSET });
    expect([head.text, head.headers['content-length']]).toEqual(['', `${SCRIPT.length}`]);
  });

  test('answer 304 to their entity tag', async () => {
    server = await startDashboard();
    const { headers } = await server.send({ path: '/favicon.svg' });
    expect(headers['cache-control']).toBe('no-cache');
    const tag = headers.etag!;
    for (const known of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
      const again = await server.send({ path: '/favicon.svg', headers: { 'if-none-match': known } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag]);
    }
    expect((await server.send({ path: '/favicon.svg', headers: { 'if-none-match': '"x"' } })).status).toBe(
      200,
    );
  });

  test.each([
    'bytes=0-5',
    'bytes=10-5',
    'bytes=9999-',
    'bytes=-5',
    'bytes=0-1,4-5',
    'bytes=99999999999999999999-',
    'bytes=5--7',
    'bytes',
    'items=0-1',
  ])('are sent whole to clients that want a range: %s', async (range) => {
    server = await startDashboard();
    const { status, text } = await server.send({ path: ASSET, headers: { range } });
    expect([status, text]).toEqual([200, SCRIPT]);
  });

  test('stay as they were when a new build replaces them', async () => {
    server = await startDashboard();
    await server.send({ path: '/' });
    server.removeFiles();
    for (const path of [ASSET, '/favicon.svg', '/']) expect((await server.send({ path })).status).toBe(200);
  });

  test.each([
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0, br;q=0', undefined],
    ['vibrant, gzipped', undefined],
    ['*', 'br'],
  ])('are compressed only as the client accepts: %s', async (accepted, sent) => {
    server = await startDashboard();
    const { headers } = await server.send({ path: ASSET, headers: { 'accept-encoding': accepted } });
    expect(headers['content-encoding']).toBe(sent);
  });

  test('are never replaced by a page', async () => {
    server = await startDashboard();
    for (const destination of ['script', 'style', 'worker', 'image', 'manifest', 'iframe']) {
      const headers = { accept: '*/*', 'sec-fetch-dest': destination };
      expect((await server.send({ path: '/missing.js', headers })).status).toBe(404);
    }
    const headers = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-dest': 'document' };
    expect((await server.send({ path: '/o/org_1', headers })).status).toBe(200);
  });

  test.each([
    '/../package.json',
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/..%5c..%5cpackage.json',
    '/assets//../../../../etc/passwd',
    '/assets/%00',
    '/assets/%',
    '/assets/%c0%ae%c0%ae/',
    '/assets/missing-1.js',
    '/assets/',
    '/assets',
    '/.secret',
    '//etc/passwd',
  ])('outside of the folder are never sent: %s', async (path) => {
    server = await startDashboard();
    const image = await server.send({ path, headers: { accept: 'image/avif,*/*;q=0.8' } });
    expect([path, image.status]).toEqual([path, 404]);
    const { text } = await server.send({ path });
    expect(text).not.toMatch(/"name"|root:|hidden/);
  });
});

describe('the Host header', () => {
  test('of another loopback name leads to the address of the dashboard', async () => {
    server = await startDashboard();
    for (const host of ['127.0.0.1', '[::1]']) {
      const answer = await server.send({
        path: '/accept-invitation?a=1',
        headers: { host: `${host}:${server.port}` },
      });
      expect([answer.status, answer.headers.location]).toEqual([
        307,
        `${server.origin}/accept-invitation?a=1`,
      ]);
    }
  });

  test('of any other name is refused', async () => {
    server = await startDashboard();
    const { port } = server;
    const hosts = [`evil.example:${port}`, 'localhost', `localhost:${port}.evil.example`, `10.0.0.1:${port}`];
    for (const host of [...hosts, `user@localhost:${port}`])
      for (const path of ['/', ASSET, '/api/v1/instance', '/auth/refresh']) {
        const answer = await server.send({ path, headers: { host } });
        expect([answer.status, answer.json.error?.code]).toEqual([421, 'HOST_NOT_ALLOWED']);
        expect(answer.json.error!.message).toContain('FLAGSVC_DASHBOARD_URL');
      }
    // A redirect would repeat an API call at another address, with its credentials.
    const api = await server.send({ path: '/api/v1/instance', headers: { host: `127.0.0.1:${port}` } });
    expect(api.status).toBe(421);
    const write = await server.fromPage('/auth/refresh', undefined, { host: `127.0.0.1:${port}` });
    expect(write.status).toBe(421);
    const forwarded = await server.send({
      path: '/',
      headers: { host: `evil.example:${port}`, 'x-forwarded-host': new URL(server.origin).host },
    });
    expect(forwarded.status).toBe(421);
  });
});
