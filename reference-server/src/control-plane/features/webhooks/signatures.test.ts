import { createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSignedWith, startWebhookServer, type WebhookServer } from '../../../../test/webhook-server.ts';

const HOUR_MS = 3_600_000;

let hooks: WebhookServer;
beforeEach(async () => {
  hooks = await startWebhookServer();
});
afterEach(() => hooks.close());

test('a message is signed so that the reference library accepts it, and the secret is shown once', async () => {
  const { id, secret, ...shown } = await hooks.createWebhook({ headers: { 'X-Team': 'checkout' } });
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret!.slice(6), 'base64')).toHaveLength(32);
  const read = await hooks.api.webhooks.get(id).answer;
  expect(read.body.data).toEqual({ id, ...shown });
  expect(read.headers.etag).toBe('"1"');
  expect(shown).toMatchObject({
    header_names: ['X-Team'],
    payload: 'full',
    signing: 'hmac',
    status: 'enabled',
  });

  const flagId = await hooks.createFlag('dark-mode');
  await hooks.run();
  await hooks.api.flags.toggle(flagId, true);
  await hooks.run();
  const { revision } = await hooks.api.flags.get(flagId);
  const [created, toggled] = hooks.receiver.received;
  expect(hooks.receiver.received).toHaveLength(2);
  expect(created!.body.type).toBe('flag.created');
  expect(toggled!.headers).toMatchObject({
    'content-type': 'application/json',
    'x-team': 'checkout',
    'webhook-id': expect.stringMatching(/^msg_/),
  });
  expect(toggled!.body).toEqual({
    type: 'flag.toggled',
    timestamp: expect.stringMatching(/^2026-11-20T/),
    data: {
      organization_id: hooks.server.organizationId,
      project: { id: hooks.server.projectId, key: 'default' },
      environment: { id: hooks.server.environments.production, key: 'production', type: 'production' },
      resource: { type: 'flag', id: flagId, key: 'dark-mode' },
      flag: { id: flagId, key: 'dark-mode', enabled: true, revision },
      changes: { enabled: { from: false, to: true } },
      actor: { id: expect.stringMatching(/^usr_/), kind: 'user' },
      ruleset_version: 3,
      audit_id: expect.stringMatching(/^evt_/),
    },
  });
  expect(isSignedWith(secret!, toggled!)).toBe(true);
  expect(isSignedWith(secret!, { ...toggled!, text: toggled!.text.replace('true', 'false') })).toBe(false);
});

test('an Ed25519 signature can be verified with the public key', async () => {
  const { id, public_key, ...rest } = await hooks.createWebhook({ signing: 'ed25519' });
  expect(rest).not.toHaveProperty('secret');
  expect(await hooks.api.webhooks.publicKey(id)).toEqual({ public_key });
  await hooks.createFlag('x');
  await hooks.run();
  const { headers, text } = hooks.receiver.received[0]!;
  const x = Buffer.from(public_key!.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const [version, signature] = headers['webhook-signature']!.split(',');
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
  expect(version).toBe('v1a');
  expect(verify(null, content, key, Buffer.from(signature!, 'base64'))).toBe(true);
});

test('the key set is read from the database at most once a second, and at once after a rotation', async () => {
  const { id } = await hooks.createWebhook({ signing: 'ed25519' });
  const key = async () => {
    const { payload } = await hooks.server.app.inject('/.well-known/flagsvc-webhook-keys.json');
    return JSON.parse(payload).keys[0].x;
  };
  const own = await key();
  // Stands for a write by another process.
  const public_key = `whpk_${Buffer.alloc(32, 7).toString('base64')}`;
  await hooks.server.db.updateTable('webhooks').set({ public_key }).where('id', '=', id).execute();
  expect(await key()).toBe(own);
  hooks.server.advance(1_000);
  expect(await key()).toBe(Buffer.alloc(32, 7).toString('base64url'));
  await hooks.api.webhooks.rotateSecret(id);
  expect([own, Buffer.alloc(32, 7).toString('base64url')]).not.toContain(await key());
});

test('after a rotation the key set has the new key, and messages are signed with both keys', async () => {
  await hooks.createWebhook();
  const { id } = await hooks.createWebhook({ signing: 'ed25519' });
  const keys = async () => {
    const { statusCode, headers, payload } = await hooks.server.app.inject(
      '/.well-known/flagsvc-webhook-keys.json',
    );
    expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=300']);
    return JSON.parse(payload).keys;
  };
  const before = await keys();
  expect(before).toEqual([
    {
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      kid: id,
      x: expect.stringMatching(/^[\w-]{43}$/),
    },
  ]);
  await hooks.api.webhooks.rotateSecret(id);
  const after = await keys();
  expect(after).toHaveLength(1);
  expect(after[0].x).not.toBe(before[0].x);
  await hooks.createFlag('x');
  await hooks.run();
  const message = hooks.receiver.received.find(({ headers }) =>
    headers['webhook-signature']!.startsWith('v1a,'),
  )!;
  const { headers, text } = message;
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
  const checkedBy = headers['webhook-signature']!.split(' ').map((one) => {
    const signature = Buffer.from(one.split(',')[1]!, 'base64');
    return [...before, ...after].map((jwk) =>
      verify(null, content, createPublicKey({ key: jwk, format: 'jwk' }), signature),
    );
  });
  expect(checkedBy).toEqual([
    [false, true],
    [true, false],
  ]);
});

test('messages are signed with both secrets during the overlap of a rotation, then with the new one', async () => {
  const { id, secret: old } = await hooks.createWebhook();
  const { secret } = await hooks.api.webhooks.rotateSecret(id, { overlap_hours: 2 });
  expect(secret).not.toBe(old);
  await hooks.createFlag('x');
  await hooks.run();
  expect(hooks.receiver.received[0]!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
  expect([old!, secret!].map((one) => isSignedWith(one, hooks.receiver.received[0]!))).toEqual([true, true]);
  hooks.server.advance(3 * HOUR_MS);
  await hooks.createFlag('y');
  await hooks.run();
  expect([old!, secret!].map((one) => isSignedWith(one, hooks.receiver.received[1]!))).toEqual([false, true]);
  const rotate = () => hooks.api.webhooks.rotateSecret(id, {}, { idempotencyKey: 'k1' });
  expect((await rotate()).secret).toMatch(/^whsec_/);
  expect(await rotate()).not.toHaveProperty('secret');
});
