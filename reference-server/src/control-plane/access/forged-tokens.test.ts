import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from '../../../test/api-call.ts';
import { enter, startServer, type TestServer } from '../../../test/server.ts';

const SECRET = 'test-jwt-secret-key-of-32-characters';
let server: TestServer;
let valid: string;
let claims: Record<string, unknown>;
let serviceAccountId: string;
let serviceToken: string;

beforeAll(async () => {
  server = await startServer();
  valid = server.tokens.admin;
  claims = JSON.parse(Buffer.from(valid.split('.')[1]!, 'base64url').toString());
  const { serviceAccounts } = server.as('admin');
  serviceAccountId = (await serviceAccounts.create({ name: 'x', role: 'admin' })).id;
  const created = await serviceAccounts.createToken(serviceAccountId, { name: 'x', scopes: ['admin'] });
  serviceToken = created.token!;
});
afterAll(() => server.close());

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with any header and payload; by default signed with the real secret. */
function forge(header: unknown, payload: unknown, secret = SECRET, hash = 'sha256'): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}

const HS256 = { alg: 'HS256', typ: 'JWT' };
const without = (name: string) => {
  const { [name]: _, ...rest } = claims;
  return rest;
};

const FORMS: readonly [string, () => string | Promise<string>][] = [
  ['alg none and no signature', () => `${encode({ alg: 'none', typ: 'JWT' })}.${valid.split('.')[1]}.`],
  ['alg None', () => forge({ alg: 'None', typ: 'JWT' }, claims)],
  ['alg in lower case', () => forge({ alg: 'hs256', typ: 'JWT' }, claims)],
  ['alg as a list', () => forge({ alg: ['HS256'], typ: 'JWT' }, claims)],
  ['alg missing', () => forge({ typ: 'JWT' }, claims)],
  ['HS512 with our secret', () => forge({ alg: 'HS512', typ: 'JWT' }, claims, SECRET, 'sha512')],
  ['HS384 with our secret', () => forge({ alg: 'HS384', typ: 'JWT' }, claims, SECRET, 'sha384')],
  ['alg RS256 with an HMAC signature', () => forge({ alg: 'RS256', typ: 'JWT' }, claims)],
  ['another secret', () => forge(HS256, claims, 'another-jwt-secret-key-of-32-chars!!')],
  ['the empty secret', () => forge(HS256, claims, '')],
  ['no signature', () => valid.split('.').slice(0, 2).join('.')],
  ['an empty signature', () => `${valid.split('.').slice(0, 2).join('.')}.`],
  [
    'the signature of another payload',
    () => `${encode(HS256)}.${encode({ ...claims, sub: 'usr_x' })}.${valid.split('.')[2]}`,
  ],
  ['a shortened signature', () => valid.slice(0, -2)],
  ['a lengthened signature', () => `${valid}AA`],
  ['a fourth segment', () => `${valid}.AA`],
  ['padding', () => `${valid}=`],
  ['standard base64', () => valid.replaceAll('-', '+').replaceAll('_', '/').concat('/')],
  ['another encoding of the same signature', () => looseBits(valid)],
  ['a space in the middle', () => `${valid.slice(0, 20)} ${valid.slice(20)}`],
  ['a key in the header', () => forge({ ...HS256, jwk: { kty: 'oct', k: 'AA' } }, claims)],
  ['the URL of a key in the header', () => forge({ ...HS256, jku: 'https://example.com/keys' }, claims)],
  ['a key id in the header', () => forge({ ...HS256, kid: '../../dev/null' }, claims)],
  ['a critical extension', () => forge({ ...HS256, crit: ['x'], x: 1 }, claims)],
  ['an unencoded payload', () => forge({ ...HS256, b64: false, crit: ['b64'] }, claims)],
  ['another type', () => forge({ alg: 'HS256', typ: 'flagsvc-license+jwt' }, claims)],
  ['no expiry', () => forge(HS256, without('exp'))],
  ['an expiry as text', () => forge(HS256, { ...claims, exp: '9999999999' })],
  ['no session', () => forge(HS256, without('ses'))],
  ['no organization', () => forge(HS256, without('org'))],
  ['no id', () => forge(HS256, without('jti'))],
  ['no subject', () => forge(HS256, without('sub'))],
  ['no issuer', () => forge(HS256, without('iss'))],
  ['another issuer', () => forge(HS256, { ...claims, iss: 'elsewhere' })],
  ['another audience', () => forge(HS256, { ...claims, aud: 'relay' })],
  ['a start in the future', () => forge(HS256, { ...claims, nbf: 4_000_000_000 })],
  ['a session as a list', () => forge(HS256, { ...claims, ses: [claims['ses']] })],
  ['an unknown session', () => forge(HS256, { ...claims, ses: 'ses_x' })],
  ['the session of another user', () => forge(HS256, { ...claims, sub: 'usr_x' })],
  ['the organization of another user', () => forge(HS256, { ...claims, org: 'org_x' })],
  ['a payload that is a list', () => forge(HS256, [claims])],
  ['a payload that is not JSON', () => forge(HS256, 'claims')],
  ['a payload that is null', () => forge(HS256, 'null')],
  ['a very long payload', () => `${encode(HS256)}.${'A'.repeat(10_000)}.AA`],
  ['a refresh token', async () => (await enter(server, 'admin@example.com')).refreshToken],
  ['no token', () => 'null'],
  ['a service account token with a wrong checksum', () => withWrongChecksum(serviceToken)],
  ['a service account token with the prefix of a personal one', () => serviceToken.replace('svc_', 'pat_')],
  ['the id of a service account instead of a token', () => serviceAccountId],
  [
    'a role that the forger chose, signed by another library with another secret',
    () =>
      new SignJWT({ ...claims, role: 'admin' })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .sign(new TextEncoder().encode('x'.repeat(32))),
  ],
];

/** The token with a different encoding of the same signature: the last letter has two unused bits. */
function looseBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) ^ 1];
}

const withWrongChecksum = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');

test('at least 40 forgeries are tried', () => {
  expect(FORMS.length).toBeGreaterThanOrEqual(40);
});

/** `OK`, or why the token is refused. */
const use = (token: string) => codeOf(server.withToken(token).auth.me());

test.each(FORMS)('a token with %s is refused', async (_, make) => {
  expect(['INVALID_TOKEN', 'UNAUTHENTICATED']).toContain(await use(await make()));
});

test('unaltered tokens are accepted', async () => {
  for (const token of [forge(HS256, claims), serviceToken]) expect(await use(token)).toBe('OK');
});

test('only tokens with a valid signature get TOKEN_EXPIRED', async () => {
  expect(await use(forge(HS256, { ...claims, exp: 1 }))).toBe('TOKEN_EXPIRED');
  expect(await use(forge(HS256, { ...claims, exp: 1 }, 'x'))).toBe('INVALID_TOKEN');
});
