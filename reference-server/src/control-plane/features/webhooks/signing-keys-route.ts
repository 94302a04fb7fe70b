import type { FastifyInstance } from 'fastify';
import { registerSigningKeys } from '../../../http/signing-keys.ts';
import type { createPublicKeys } from './public-keys.ts';

/** `/.well-known/flagsvc-webhook-keys.json`: what checks the signatures of webhooks that sign with `ed25519`. */
export function registerWebhookKeys(
  app: FastifyInstance,
  webhooks: Pick<ReturnType<typeof createPublicKeys>, 'publicKeys'>,
): void {
  registerSigningKeys(app, {
    path: '/.well-known/flagsvc-webhook-keys.json',
    operationId: 'getWebhookKeys',
    tag: 'Webhooks',
    summary: 'Read the keys that check the Ed25519 signatures of webhooks',
    description:
      'A JWK set, not enveloped. Each webhook has a key of its own, and its id is the `kid`: take the one of your ' +
      'webhook, because any other would let others speak in its name. After a rotation the new key stands here.',
    keys: async () =>
      (await webhooks.publicKeys()).map(({ id, public_key }) => ({
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: id,
        x: Buffer.from(public_key!.slice('whpk_'.length), 'base64').toString('base64url'),
      })),
  });
}
