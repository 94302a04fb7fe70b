import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, Page } from '../../../http/envelope.ts';
import { Comment, Id, Name, Timestamp } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { sendRecord } from '../../endpoint/send-record.ts';
import { KEY_KINDS } from './api-key-record.ts';
import type { ApiKeyService } from './api-key-service.ts';
import { KeyRateLimitsSchema, NewKeyRateLimitsSchema } from './key-rate-limits.ts';

const Kind = Type.Enum([...KEY_KINDS], {
  description: '`client` keys receive only flags marked `client_side`. Default `server`.',
});
const Expiry = Type.Union([Timestamp, Type.Null()], { description: 'Null: never.' });

const Origins = Type.Array(Type.String({ maxLength: 300 }), {
  maxItems: 50,
  description:
    'Client keys only: origins whose pages may use the key, such as `https://app.example.com`. An empty list allows all origins.',
});
const Addresses = Type.Array(Type.String({ maxLength: 50 }), {
  maxItems: 50,
  description:
    'IP addresses and ranges that may use the key, such as `10.0.0.0/8`. An empty list allows all addresses.',
});

const ApiKey = Type.Object({
  id: Type.String({ description: '`key_` and an opaque string.' }),
  name: Type.String(),
  kind: Kind,
  environment_id: Type.String(),
  prefix: Type.String(),
  last_four: Type.String(),
  status: Type.Enum(['active', 'rotating', 'expired', 'revoked'], {
    description: '`rotating`: the previous secret works until `rotation_ends_at`.',
  }),
  rotation_ends_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When the previous secret stops working; null if no previous secret works.',
  }),
  allowed_origins: Origins,
  allowed_ips: Addresses,
  rate_limits: KeyRateLimitsSchema,
  created_by: Type.Union([Type.String(), Type.Null()]),
  revision: Type.Integer(),
  created_at: Timestamp,
  expires_at: Expiry,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
});

const NewApiKey = Type.Object({
  ...ApiKey.properties,
  key: Type.Optional(
    Type.String({
      description:
        'The key itself. Returned only in this answer; a request repeated with the same Idempotency-Key does not return it again.',
    }),
  ),
});

const EnvironmentParams = Type.Object({ environment_id: Id });
const Params = Type.Object({ key_id: Id });
const tag = 'API keys';

const listApiKeys = route({
  access: 'api_key.read',
  operationId: 'listApiKeys',
  tag,
  summary: 'List API keys',
  description: 'Returns the API keys of an environment, newest first, including revoked ones.',
  params: EnvironmentParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(ApiKey)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

const createApiKey = route({
  access: 'api_key.write',
  operationId: 'createApiKey',
  tag,
  summary: 'Create an API key',
  description: 'Creates a key for SDKs or relays. Only this answer contains the key itself.',
  params: EnvironmentParams,
  body: Type.Object({
    name: Name,
    kind: Type.Optional(Kind),
    expires_at: Type.Optional(Expiry),
    allowed_origins: Type.Optional(Origins),
    allowed_ips: Type.Optional(Addresses),
    rate_limits: Type.Optional(NewKeyRateLimitsSchema),
    comment: Type.Optional(Comment),
  }),
  answer: [201, Data(NewApiKey)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
  writes: true,
});

const updateApiKey = route({
  access: 'api_key.write',
  operationId: 'updateApiKey',
  tag,
  summary: 'Update an API key',
  description:
    'Changes the name, the expiry, the rate limits, or the origins and addresses that may use the key.',
  params: Params,
  body: Type.Object({
    name: Type.Optional(Name),
    expires_at: Type.Optional(Expiry),
    allowed_origins: Type.Optional(Origins),
    allowed_ips: Type.Optional(Addresses),
    rate_limits: Type.Optional(NewKeyRateLimitsSchema),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(ApiKey)],
  errors: ['API_KEY_NOT_FOUND'],
  writes: true,
});

/** A day, which leaves time to distribute the new secret to a fleet. */
const GRACE_MINUTES = 1_440;

const rotateApiKey = route({
  access: 'api_key.write',
  operationId: 'rotateApiKey',
  tag,
  summary: 'Rotate an API key',
  description:
    'Creates a new secret. The current one keeps working for a grace period. Only this answer contains the new key.',
  params: Params,
  body: Type.Object({
    grace_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_080,
        description:
          'Minutes for which the current secret keeps working. Default 1440, a day. Use 0 for a leaked secret.',
      }),
    ),
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(NewApiKey)],
  errors: ['API_KEY_NOT_FOUND'],
  writes: true,
});

const revokeApiKey = route({
  access: 'api_key.write',
  operationId: 'revokeApiKey',
  tag,
  summary: 'Revoke an API key',
  description: 'Revokes a key. The key is refused from the next request on.',
  params: Params,
  answer: [204],
  errors: ['API_KEY_NOT_FOUND'],
  writes: true,
});

/** `/environments/{environment_id}/api-keys` and `/api-keys/{key_id}`. */
export const apiKeyRoutes: FastifyPluginAsyncTypebox<{ readonly apiKeys: ApiKeyService }> = async (
  app,
  { apiKeys },
) => {
  app.get('/environments/:environment_id/api-keys', listApiKeys, async (request) => {
    return cutPage(await apiKeys.list(actorOf(request), request.params.environment_id), request.query);
  });

  app.post('/environments/:environment_id/api-keys', createApiKey, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const input = { ...body, environmentId: params.environment_id };
    const record = await apiKeys.create(actorOf(request), input, options);
    return sendRecord(reply, record, 201);
  });

  app.patch('/api-keys/:key_id', updateApiKey, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const input = { id: params.key_id, patch: body };
    return sendRecord(reply, await apiKeys.update(actorOf(request), input, options));
  });

  app.post('/api-keys/:key_id/rotate', rotateApiKey, async (request, reply) => {
    const { params, body } = request;
    const options = changeOptions(request);
    const input = { id: params.key_id, graceMinutes: body.grace_minutes ?? GRACE_MINUTES };
    return sendRecord(reply, await apiKeys.rotate(actorOf(request), input, options));
  });

  app.delete('/api-keys/:key_id', revokeApiKey, async (request, reply) => {
    await apiKeys.revoke(actorOf(request), request.params.key_id, changeOptions(request));
    return reply.code(204).send();
  });
};
