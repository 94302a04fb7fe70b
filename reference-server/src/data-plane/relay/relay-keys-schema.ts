import { Type } from 'typebox';
import { Data, errorAnswers } from '../../http/envelope.ts';
import { KEY_RATE_CATEGORIES } from '../../http/rate-limits.ts';
import { BODY, COMMON } from '../schemas.ts';

/** Maximum number of keys in one request. */
const KEYS_MAX = 100;

export const RelayKeysBody = Type.Object({
  keys: Type.Array(Type.String({ maxLength: 128 }), {
    minItems: 1,
    maxItems: KEYS_MAX,
    description: 'API keys that clients have sent to the relay.',
    examples: [['sdk-prod-0123456789ABCDEFGHIJKLMNOPQRSTUV0bF3Rn']],
  }),
});

const RateLimits = Type.Partial(
  Type.Object(
    Object.fromEntries(KEY_RATE_CATEGORIES.map((category) => [category, Type.Integer()] as const)) as Record<
      (typeof KEY_RATE_CATEGORIES)[number],
      ReturnType<typeof Type.Integer>
    >,
  ),
);

const RelayKey = Type.Object({
  status: Type.Enum(['active', 'rotated', 'invalid'], {
    description:
      '`rotated`: the key lives on under a new secret, and the grace period of this one is over. `invalid`: unknown, ' +
      'expired, revoked, or a key of another environment. Only an `active` key has the other fields.',
  }),
  key_id: Type.Optional(Type.String()),
  kind: Type.Optional(Type.Enum(['server', 'client', 'relay'])),
  expires_at: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'When this secret stops working (ISO 8601 UTC); null: never.',
    }),
  ),
  allowed_origins: Type.Optional(Type.Array(Type.String())),
  allowed_ips: Type.Optional(Type.Array(Type.String())),
  rate_limits: Type.Optional(RateLimits),
});

/** `POST /relay/keys`. */
export const relayKeysSchema = {
  operationId: 'describeRelayKeys',
  summary: 'Check API keys, as a relay',
  description:
    'Says which API keys a relay may accept, in the order of the request. For `relay` keys only; keys of other ' +
    'environments are `invalid`. Counts towards the limit `ruleset`, separately from ruleset fetches. A relay asks once ' +
    'for each new key, every 30 seconds for all keys in use, and after `keys.changed` in its stream.',
  tags: ['Data plane'],
  security: [{ apiKey: [] }],
  body: RelayKeysBody,
  response: {
    200: Data(
      Type.Object({
        environment_id: Type.String({ description: 'The environment of the relay’s key.' }),
        project_id: Type.String(),
        organization_id: Type.String(),
        keys: Type.Array(RelayKey),
      }),
    ),
    ...errorAnswers([...COMMON, ...BODY, 'KEY_KIND_NOT_ALLOWED']),
  },
};
