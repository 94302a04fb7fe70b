import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';

/** A public Ed25519 key as a JSON Web Key (RFC 8037). */
const SigningKey = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  alg: Type.Literal('EdDSA'),
  use: Type.Literal('sig'),
  kid: Type.String({ examples: ['9f1c8a522f0e4d55'] }),
  x: Type.String({
    examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
    description: 'The key, base64url.',
  }),
});

const KeySet = Type.Object({ keys: Type.Array(SigningKey) });

/** How long clients may cache the keys; after a rotation they see the new key within this time. */
const MAX_AGE_SECONDS = 300;

export interface SigningKeySet {
  /** `/.well-known/` and the name of the file. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly keys: () => Promise<Static<typeof KeySet>['keys']>;
}

/** Serves public keys as a JWK set (RFC 7517), without authentication or envelope, cacheable. */
export function registerSigningKeys(app: FastifyInstance, of: SigningKeySet): void {
  const { path, keys, operationId, tag, summary, description } = of;
  const schema = {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [],
    response: {
      200: {
        ...KeySet,
        description: 'The keys.',
        headers: {
          'Cache-Control': { type: 'string', description: `\`public, max-age=${MAX_AGE_SECONDS}\`` },
        },
      },
    },
  };
  app.get(path, { schema, config: { access: 'public' } }, async (_request, reply) => {
    reply.header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`);
    return { keys: await keys() };
  });
}
