import { RATE_LIMITS, type RateCategory, type RateLimits } from '../../http/rate-limits.ts';

/** The OpenAPI document of OpenFeature's remote evaluation protocol 0.3.0, served at `/ofrep/openapi.json`. */
export function describeOfrep(version: string, limits: RateLimits = RATE_LIMITS): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'flagsvc OFREP',
      version,
      description:
        'OpenFeature Remote Evaluation Protocol 0.3.0, for OpenFeature providers. Answers have the shapes of the protocol, not the envelopes of `/openapi.json`. That includes 404 for unknown paths, and 405 with `Allow` for unsupported methods.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ apiKey: [] }, { bearerAuth: [] }],
    tags: [{ name: 'Evaluation', description: 'Evaluates flags for a context.' }],
    paths: {
      '/ofrep/v1/evaluate/flags/{key}': evaluateFlag(limits),
      '/ofrep/v1/evaluate/flags': evaluateFlags(limits),
      '/ofrep/v1/stream': streamChanges(limits),
    },
    components: { securitySchemes: SECURITY_SCHEMES, schemas: SCHEMAS },
  };
}

function evaluateFlag(limits: RateLimits): object {
  return {
    post: {
      operationId: 'evaluateFlag',
      tags: ['Evaluation'],
      summary: 'Evaluate one flag',
      'x-rate-limit': limitOf('evaluation', limits),
      parameters: [
        {
          name: 'key',
          in: 'path',
          required: true,
          description: 'Key of the flag.',
          schema: { type: 'string' },
          example: 'dark-mode',
        },
      ],
      requestBody: REQUEST,
      responses: {
        200: answer('The flag.', 'EvaluatedFlag', FLAG),
        404: answer('The flag does not exist, or the key may not see it.', 'FlagError', FLAG_NOT_FOUND),
        ...refusals('FlagError', 'dark-mode'),
      },
    },
  };
}

function evaluateFlags(limits: RateLimits): object {
  return {
    post: {
      operationId: 'evaluateFlags',
      tags: ['Evaluation'],
      summary: 'Evaluate every flag that the key may see',
      'x-rate-limit': limitOf('evaluation', limits),
      parameters: [
        {
          name: 'If-None-Match',
          in: 'header',
          description: 'Entity tag of the last answer for this context.',
          schema: { type: 'string' },
          example: TAG,
        },
      ],
      requestBody: REQUEST,
      responses: {
        200: { ...answer('All flags.', 'EvaluatedFlags', FLAGS), headers: ETAG },
        304: { description: 'Nothing has changed for this context.', headers: ETAG },
        ...refusals('Error'),
      },
    },
  };
}

function streamChanges(limits: RateLimits): object {
  return {
    get: {
      operationId: 'streamChanges',
      tags: ['Evaluation'],
      summary: 'Receive a server-sent event when flags may have changed',
      description: 'The URL is in `eventStreams` of the answer for all flags, and is valid for an hour.',
      'x-rate-limit': limitOf('stream', limits),
      security: [],
      parameters: [
        {
          name: 'token',
          in: 'query',
          required: true,
          description: 'Replaces the API key, because EventSource cannot send headers.',
          schema: { type: 'string' },
          example: '3q2+7w…',
        },
      ],
      responses: {
        200: {
          description: 'Messages of type `refetchEvaluation`, each with the entity tag of the ruleset.',
          content: { 'text/event-stream': { schema: { type: 'string' }, example: STREAM } },
        },
        401: answer('The token is invalid or has expired.', 'Error', {
          errorCode: 'GENERAL',
          errorDetails: 'The API key is unknown, expired or revoked.',
        }),
        403: answer('The API key may not be used from this origin or address.', 'Error', {
          errorCode: 'GENERAL',
          errorDetails: 'The API key may not be used from this origin.',
        }),
        429: TOO_MANY('Error', undefined),
      },
    },
  };
}

function limitOf(category: RateCategory, limits: RateLimits): object {
  return { category, requests: limits[category], window_seconds: 60 };
}

const TAG = 'W/"0f3c9a5d1e7b24688ac0b1d2e3f40516"';
const ETAG = {
  ETag: {
    description: 'Entity tag of the result for this context, key and ruleset.',
    schema: { type: 'string' },
  },
};
const STREAM =
  'id: 481\nevent: message\ndata: {"type":"refetchEvaluation","etag":"W/\\"481-…\\"","lastModified":1795165200}\n\n';

const FLAG = {
  key: 'dark-mode',
  value: true,
  reason: 'TARGETING_MATCH',
  variant: 'on',
  metadata: {
    flagsvc_reason: 'TARGETING_RULE',
    rule_id: 'rule_01KAGJ7Q8V3W5X6Y7Z8A9B0C1D',
    version: 481,
    environment_id: 'env_01KAGJ7Q8V3W5X6Y7Z8A9B0C1E',
    flagSetId: 'env_01KAGJ7Q8V3W5X6Y7Z8A9B0C1E',
    flag_type: 'boolean',
  },
};
const FLAGS = {
  flags: [FLAG],
  metadata: { version: 481 },
  eventStreams: [
    { type: 'sse', endpoint: { requestUri: '/ofrep/v1/stream?token=3q2%2B7w' }, inactivityDelaySec: 120 },
  ],
};
const FLAG_NOT_FOUND = {
  key: 'dark-mode',
  errorCode: 'FLAG_NOT_FOUND',
  errorDetails: 'The flag "dark-mode" does not exist.',
};

const REQUEST = {
  required: true,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/EvaluationRequest' },
      example: { context: { targetingKey: 'user-1', plan: 'pro' } },
    },
  },
};

function answer(description: string, schema: string, example: object) {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } };
  return { description, content };
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

const TOO_MANY = (schema: string, key: string | undefined) => ({
  ...answer('Too many requests.', schema, {
    ...(key && { key }),
    errorCode: 'GENERAL',
    errorDetails: 'Too many requests: at most 10000 a minute. Try again in 17 s.',
  }),
  headers: RETRY_AFTER,
});

/** The errors of every evaluation. */
function refusals(schema: string, key?: string) {
  const refusal = (errorCode: string, errorDetails: string) => ({
    ...(key && { key }),
    errorCode,
    errorDetails,
  });
  const noKey = refusal('GENERAL', 'The API key is unknown, expired or revoked.');
  return {
    400: answer(
      'The body or its context is invalid.',
      schema,
      refusal('TARGETING_KEY_MISSING', '`context.targetingKey` must be a text that names the user.'),
    ),
    401: answer('The API key is missing, unknown, expired or revoked.', schema, noKey),
    403: answer(
      'The API key may not be used from this origin or address.',
      schema,
      refusal('GENERAL', 'The API key may not be used from this origin.'),
    ),
    413: answer(
      'The body is too large.',
      schema,
      refusal('PARSE_ERROR', 'The body is too large: the maximum is 1 MiB.'),
    ),
    415: answer(
      'The body is not JSON.',
      schema,
      refusal('PARSE_ERROR', 'The body must be sent as application/json.'),
    ),
    429: TOO_MANY(schema, key),
    500: answer('Something went wrong.', schema, refusal('GENERAL', 'Something went wrong on our side.')),
    503: {
      ...answer(
        'The service is temporarily unavailable.',
        schema,
        refusal(
          'GENERAL',
          'The service cannot do this at the moment: it cannot store changes, or is overloaded.',
        ),
      ),
      headers: RETRY_AFTER,
    },
  };
}

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An SDK API key.' },
  bearerAuth: { type: 'http', scheme: 'bearer', description: 'The same SDK API key.' },
};

const ErrorCode = {
  type: 'string',
  enum: ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'FLAG_NOT_FOUND', 'GENERAL'],
};

const SCHEMAS = {
  EvaluationRequest: {
    type: 'object',
    required: ['context'],
    properties: {
      context: {
        type: 'object',
        required: ['targetingKey'],
        properties: {
          targetingKey: {
            type: 'string',
            minLength: 1,
            description: 'Identifies the user; decides the bucket of percentage rollouts.',
          },
        },
        additionalProperties: { description: 'An attribute that conditions compare.' },
      },
    },
  },
  EvaluatedFlag: {
    type: 'object',
    required: ['key', 'value', 'reason', 'variant', 'metadata'],
    properties: {
      key: { type: 'string' },
      value: { description: 'A value of the flag’s type.' },
      reason: {
        type: 'string',
        enum: ['TARGETING_MATCH', 'SPLIT', 'DISABLED', 'STATIC', 'UNKNOWN'],
      },
      variant: { type: ['string', 'null'], description: 'Key of the served variation.' },
      metadata: {
        type: 'object',
        required: ['flagsvc_reason', 'version', 'environment_id', 'flagSetId', 'flag_type'],
        properties: {
          flagsvc_reason: { type: 'string', description: 'The reason that `POST /api/v1/evaluate` returns.' },
          rule_id: { type: 'string', description: 'The rule that decided; absent if none did.' },
          version: { type: 'integer', description: 'The version of the ruleset.' },
          environment_id: { type: 'string' },
          flagSetId: {
            type: 'string',
            description: 'The environment, under the name that OpenFeature’s telemetry uses.',
          },
          flag_type: { type: 'string', enum: ['boolean', 'string', 'number', 'json'] },
        },
      },
    },
  },
  EvaluatedFlags: {
    type: 'object',
    required: ['flags', 'metadata', 'eventStreams'],
    properties: {
      flags: {
        type: 'array',
        items: {
          oneOf: [{ $ref: '#/components/schemas/EvaluatedFlag' }, { $ref: '#/components/schemas/FlagError' }],
        },
      },
      metadata: {
        type: 'object',
        required: ['version'],
        properties: { version: { type: 'integer', description: 'The version of the ruleset.' } },
      },
      eventStreams: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'endpoint', 'inactivityDelaySec'],
          properties: {
            type: { const: 'sse' },
            endpoint: {
              type: 'object',
              required: ['requestUri'],
              properties: { requestUri: { type: 'string' } },
            },
            inactivityDelaySec: { type: 'integer' },
          },
        },
      },
    },
  },
  FlagError: {
    type: 'object',
    required: ['key', 'errorCode', 'errorDetails'],
    properties: { key: { type: 'string' }, errorCode: ErrorCode, errorDetails: { type: 'string' } },
  },
  Error: {
    type: 'object',
    required: ['errorCode', 'errorDetails'],
    properties: { errorCode: ErrorCode, errorDetails: { type: 'string' } },
  },
};
