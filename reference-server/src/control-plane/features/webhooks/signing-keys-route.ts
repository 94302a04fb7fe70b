import type { FastifyInstance } from 'fastify';
import { registerSigningKeys } from '../../../http/signing-keys.ts';
import type { PublicKeys } from './public-keys.ts';

/** `/.well-known/flagsvc-webhook-keys.json`: the public keys of webhooks that sign with `ed25519`. */
export function registerWebhookKeys(app: FastifyInstance, { publicKeys }: PublicKeys): void {
  registerSigningKeys(app, {
    path: '/.well-known/flagsvc-webhook-keys.json',
    operationId: 'getWebhookKeys',
    tag: 'Webhooks',
    summary: 'Read the public keys of webhooks',
    description:
      'Returns a JWK set, without the envelope, for checking Ed25519 signatures. Each webhook has its own key, with the ' +
      "id of the webhook as `kid`. Accept only your webhook's own key: if you accept any other, another " +
      'organization can sign messages in its name. After a rotation the set contains the new key.',
    keys: async () =>
      (await publicKeys()).map(({ id, public_key }) => ({
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: id,
        x: Buffer.from(public_key!.slice('whpk_'.length), 'base64').toString('base64url'),
      })),
  });
}
