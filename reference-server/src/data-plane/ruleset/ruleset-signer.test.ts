import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Json } from '@flagsvc/sdk-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RULESET } from '../../../test/data-plane.ts';
import { booleanFlag, startServer, type TestServer } from '../../../test/server.ts';
import { createServingPath } from '../serving-path.ts';
import { createRulesetSigner, type SigningKey } from './ruleset-signer.ts';
import { createRulesetVerifier, toSigningKey } from './ruleset-verifier.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

/** Canonical JSON (RFC 8785), implemented independently of the server. */
function jcs(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jcs(field as Json)}`).join()}}`;
}

test('a verifier accepts the signature of the ruleset, and names what is wrong with any other', async () => {
  const path = createServingPath({ fast: false });
  const [ruleset, other] = [
    await path.prepare(RULESET, 'e'),
    await path.prepare({ ...RULESET, version: 8 }, 'e'),
  ];
  const signer = createRulesetSigner('a'.repeat(32));
  const [{ x }] = signer.keys as [SigningKey];
  expect(toSigningKey(x)).toEqual(signer.keys[0]);
  expect(() => toSigningKey(x.slice(1))).toThrow();
  const verifier = createRulesetVerifier([toSigningKey(x)]);
  const signature = await signer.sign(ruleset);
  const stranger = await createRulesetSigner('b'.repeat(32)).sign(ruleset);
  expect(await verifier.faultOf(ruleset, signature)).toBeUndefined();
  expect(await verifier.faultOf(other, signature)).toBe('wrong');
  expect(await verifier.faultOf(ruleset, `${signature.slice(0, -10)}AAAAAAAAAA`)).toBe('wrong');
  expect(await verifier.faultOf(ruleset, stranger)).toBe('unknown key');
  for (const none of [undefined, null, '']) expect(await verifier.faultOf(ruleset, none)).toBe('missing');
  for (const odd of ['.', 'x', signature.split('.')[0]!, `${signature.split('.')[0]}.`, '..']) {
    expect(await verifier.faultOf(ruleset, odd)).toMatch(/wrong|unknown key/);
  }
});

test('signs every ruleset with a published key', async () => {
  const { production } = server.environments;
  const api = server.as('admin');
  await api.flags.create(booleanFlag('a'));
  const { key } = await api.apiKeys.create(production, { name: 'k' });
  const fetchRuleset = (headers: Record<string, string> = {}) =>
    server.withKey(key!).dataPlane.ruleset({ headers }).answer;
  const answer = await fetchRuleset();
  const published = await server.app.inject({ url: '/.well-known/flagsvc-ruleset-keys.json' });
  expect(published.headers['cache-control']).toBe('public, max-age=300');
  const [jwk] = published.json().keys;
  const isGood = (signature: string, { fetched_at: _, ...signed }: Record<string, Json>): boolean => {
    const [kid, text = ''] = signature.split('.');
    const sum = createHash('sha256').update(jcs(signed)).digest();
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    return kid === jwk.kid && verify(null, sum, publicKey, Buffer.from(text, 'base64url'));
  };
  const signature = String(answer.headers['x-flagsvc-signature']);
  const ruleset = answer.body.data as unknown as Record<string, Json>;
  expect(isGood(signature, ruleset)).toBe(true);
  expect(isGood(signature, { ...ruleset, version: 99 })).toBe(false);
  const unchanged = await fetchRuleset({ 'if-none-match': answer.headers.etag! });
  expect([unchanged.status, unchanged.headers['x-flagsvc-signature']]).toEqual([304, undefined]);
});

test('derives the same key from the same secret', () => {
  const [one, same, other] = ['a', 'a', 'b'].map((text) => createRulesetSigner(text.repeat(32)));
  expect(same!.keys).toEqual(one!.keys);
  expect(other!.keys[0]!.kid).not.toBe(one!.keys[0]!.kid);
});
