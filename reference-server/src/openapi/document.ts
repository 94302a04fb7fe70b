import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import { errorAnswers } from '../http/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../http/errors.ts';
import { RATE_LIMITS, type RateCategory, type RateLimits } from '../http/rate-limits.ts';
import type { DeploymentMode } from '../lib/deployment-modes.ts';
import { BODIES } from './bodies.ts';
import { shareComponents } from './components.ts';
import { registerDocs } from './docs-page.ts';
import { type ExampleSchema, exampleOf } from './examples.ts';
import { FIELDS } from './field-texts.ts';
import { headersOf } from './headers.ts';
import { createStaticText } from './static-text.ts';
import { PARAMETERS, TAGS } from './texts.ts';
import { describeWebhooks, WEBHOOK_SCHEMAS } from './webhooks.ts';

export interface OpenApiOptions {
  /** Version of the server, shown as `info.version`. */
  readonly version: string;
  /** Default: `RATE_LIMITS`. */
  readonly limits?: RateLimits;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The rate limit of the route's requests; default: that of the route's `access`. */
    rateCategory?: RateCategory;
    /** Request headers to document; they are not validated by schema. */
    documentedHeaders?: TObject;
    /** The deployment mode that the route needs; default `oss`, which every mode includes. */
    mode?: DeploymentMode;
  }
}

interface MediaType {
  schema?: ExampleSchema & {
    properties?: { error?: { properties?: { code?: { enum?: readonly ErrorCode[] } } } };
  };
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}
interface Answer {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}
interface Operation {
  operationId?: string;
  tags?: readonly string[];
  parameters?: { name: string; description?: string }[];
  requestBody?: { required?: boolean; content?: Record<string, MediaType> };
  responses?: Record<string, Answer>;
  'x-rate-limit'?: { category: RateCategory };
}

/**
 * Generates the OpenAPI document from the routes' schemas and serves it at `/openapi.json`, with interactive documentation
 * at `/docs` ("Versioning", 2). Await it before registering routes, so that it sees all of them.
 */
export async function registerOpenApi(app: FastifyInstance, options: OpenApiOptions): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'flagsvc',
        version: options.version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: SECURITY_SCHEMES,
        responses: { MethodNotAllowed: METHOD_NOT_ALLOWED as never },
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({ schema: describeRoute(schema, route, options.limits), url }),
    transformObject: (document) => {
      if ('swaggerObject' in document) return document.swaggerObject;
      const { openapiObject } = document;
      const paths = Object.values(openapiObject.paths ?? {});
      const operations = paths.flatMap((path) => Object.values(path ?? {}));
      for (const path of paths) allowNoBody(path?.post as Operation | undefined);
      for (const operation of operations as Operation[]) completeOperation(operation);
      const used = new Set(['Webhooks', ...(operations as Operation[]).flatMap(({ tags = [] }) => tags)]);
      const described = Object.entries(TAGS).filter(([name]) => used.has(name));
      return {
        ...openapiObject,
        paths: signingKeysLast(openapiObject.paths ?? {}),
        tags: described.map(([name, description]) => ({ name, description })),
        webhooks: describeWebhooks(),
      } as typeof openapiObject;
    },
  });

  const send = createStaticText('application/json; charset=utf-8', () =>
    JSON.stringify(shareComponents(app.swagger(), WEBHOOK_SCHEMAS)),
  );
  app.get('/openapi.json', { schema: { hide: true }, config: { access: 'public' } }, send);
  await registerDocs(app);
}

/** Puts the signing keys last, because clients read them only once. */
function signingKeysLast<Path>(paths: Readonly<Record<string, Path>>): Record<string, Path> {
  const rank = (path: string): number => Number(path.startsWith('/.well-known/'));
  return Object.fromEntries(Object.entries(paths).sort(([left], [right]) => rank(left) - rank(right)));
}

const DESCRIPTION = `A feature-flag service. Its management API takes an access token (\`Authorization: Bearer\`, from
\`POST /api/v1/auth/login\`); its data plane takes an SDK API key (\`X-API-Key\`). Answers are
\`{ "data": … }\`, lists add \`meta\`, and errors are \`{ "error": { code, message, details } }\`.

## First three calls

Log in, look up an environment, and create a flag. \`jq\` reads the answers.

\`\`\`sh
API=$SERVER/api/v1   # SERVER is the address of this server
TOKEN=$(curl -s $API/auth/login --json '${JSON.stringify(BODIES['login'])}' | jq -r .data.access_token)
AUTH="Authorization: Bearer $TOKEN"
ENVIRONMENT=$(curl -s $API/environments -H "$AUTH" | jq -r '.data[0].id')
curl -s "$API/flags?environment_id=$ENVIRONMENT" -H "$AUTH" --json '${JSON.stringify(BODIES['createFlag'])}'
\`\`\`

The flag is off in every environment; \`POST /api/v1/flags/{flag_id}/toggle\` turns it on in one. An
application then asks \`POST /api/v1/evaluate\` with an SDK key of the environment.

## Answers and limits

Answers to requests that count against a rate limit have \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`. A request
answered with 401 counts only for its address, and only if its endpoint has the limit \`auth\`, its bearer token is
invalid or its API key is unknown. All keys of kind \`client\` together get half of their environment's evaluations; one
visitor, which is one key used from one address, gets a tenth. \`GET /auth/me\` and \`POST /auth/logout\` take a token, so
they count as \`management\`. OpenFeature's protocol has its own document at \`/ofrep/openapi.json\`; the format of exports
is at \`/schemas/flagsvc-v1.json\`.

A known path answers an unsupported method with 405 \`METHOD_NOT_ALLOWED\` (\`components.responses.MethodNotAllowed\`) and
lists the supported ones in \`Allow\`. \`OPTIONS\` answers 204 with the same \`Allow\`. \`HEAD\` works wherever \`GET\` does,
except for streams.`;

const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from `POST /api/v1/auth/login`.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An SDK API key of one environment: `sdk-dev-…`, `sdk-staging-…` or `sdk-prod-…`.',
  },
} as const;

/** Adds a route's configuration to its schema, as fields and extensions of the operation. */
function describeRoute(
  schema: FastifySchema | undefined,
  { config, method }: RouteOptions,
  limits: RateLimits = RATE_LIMITS,
): FastifySchema {
  const category = rateCategoryOf(config);
  const { access } = config ?? {};
  const isOnce = config?.writes === true && method !== 'POST';
  const documentedHeaders = isOnce ? withoutIdempotency(config.documentedHeaders) : config?.documentedHeaders;
  const permission = access === 'public' || access === 'apiKey' ? undefined : access;
  return {
    ...schema,
    ...(isOnce && { response: withoutIdempotencyErrors(schema?.response) }),
    ...(documentedHeaders && { headers: documentedHeaders }),
    ...(permission && { 'x-permission': permission }),
    ...{ 'x-mode': config?.mode ?? 'oss' },
    ...(category && { 'x-rate-limit': { category, requests: limits[category], window_seconds: 60 } }),
  };
}

/** Only POST reads `Idempotency-Key`, because the other methods are idempotent anyway. */
function withoutIdempotency(headers: TObject | undefined): TObject | undefined {
  const { 'idempotency-key': _, ...properties } = headers?.properties ?? {};
  return headers && { ...headers, properties };
}

function withoutIdempotencyErrors(response: unknown): object {
  const answers = Object.entries((response ?? {}) as Record<string, MediaType['schema']>);
  return Object.fromEntries(
    answers.map(([status, schema]) => {
      const codes = codesOf({ ...(schema && { schema }) });
      const kept = codes.filter((code) => !code.startsWith('IDEMPOTENCY_'));
      return [status, kept.length === codes.length ? schema : errorAnswers(kept)[Number(status)]];
    }),
  );
}

function rateCategoryOf(config: RouteOptions['config']): RateCategory | undefined {
  if (config?.rateCategory !== undefined) return config.rateCategory;
  if (config?.limitByIp === true) return 'auth';
  return config?.access === 'public' || config?.access === 'apiKey' ? undefined : 'management';
}

/** A POST without required fields may omit its body (`registerJsonBody`). */
function allowNoBody(operation: Operation | undefined): void {
  const { requestBody } = operation ?? {};
  const { required = [] } = requestBody?.content?.['application/json']?.schema ?? {};
  if (requestBody !== undefined && required.length === 0) requestBody.required = false;
}

function completeOperation(operation: Operation): void {
  const isLimited = operation['x-rate-limit'] !== undefined;
  for (const parameter of operation.parameters ?? []) {
    const words = PARAMETERS[parameter.name];
    if (words !== undefined) parameter.description ??= words;
  }
  for (const media of Object.values(operation.requestBody?.content ?? {})) {
    if (media.schema !== undefined) media.schema = describeFields(media.schema);
    const body = BODIES[operation.operationId ?? ''];
    if (body !== undefined) media.examples = { success: { summary: 'An example', value: body } };
    else addExample(media);
  }
  for (const [status, answer] of Object.entries(operation.responses ?? {})) {
    if (answer.description === 'Default Response') answer.description = SUCCESSES[status] ?? 'Success.';
    // A 401 belongs to no known organization, so it counts only against limits by address.
    const isCounted = isLimited && (status !== '401' || operation['x-rate-limit']?.category === 'auth');
    if (isCounted) answer.headers = { ...answer.headers, ...RATE_HEADERS };
    const schema = answer.content?.['application/json']?.schema;
    answer.headers = { ...answer.headers, ...headersOf(operation, status, schema) };
    if (status === '429' || status === '503')
      answer.headers = { ...answer.headers, 'Retry-After': RETRY_AFTER };
    if (answer.content === undefined) continue;
    if (Number(status) < 400) {
      for (const media of Object.values(answer.content)) addExample(media);
      continue;
    }
    // Errors are always JSON.
    const [media] = Object.values(answer.content);
    if (media === undefined) continue;
    media.examples = Object.fromEntries(codesOf(media).map((code) => [code, errorExampleOf(code)]));
    answer.content = { 'application/json': media };
  }
}

/** The schema with a description of every field. Copies what it changes, because routes share their schemas. */
function describeFields(schema: ExampleSchema, name = ''): ExampleSchema {
  const { properties, items, anyOf } = schema;
  const described = {
    ...schema,
    ...(properties && { properties: mapValues(properties, describeFields) }),
    ...(items && { items: describeFields(items) }),
    ...(anyOf && { anyOf: anyOf.map((one) => describeFields(one)) }),
  };
  const words = FIELDS[name];
  return words === undefined || schema.description !== undefined
    ? described
    : { ...described, description: words };
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

const SUCCESSES: Readonly<Record<string, string>> = { 201: 'Created.', 202: 'Accepted.', 204: 'Done.' };

function addExample(media: MediaType): void {
  if (media.schema === undefined || media.examples !== undefined || media.example !== undefined) return;
  const [first, second] = media.schema.anyOf ?? [];
  // The answer of a write is its result or, for a dry run, its plan.
  if (first?.type === 'object' && second?.type === 'object') {
    media.examples = {
      success: { summary: 'Success', value: exampleOf(first) },
      dryRun: { summary: 'With dry_run=true', value: exampleOf(second) },
    };
  } else media.examples = { success: { summary: 'An example', value: exampleOf(media.schema) } };
}

function codesOf(media: MediaType): readonly ErrorCode[] {
  return media.schema?.properties?.error?.properties?.code?.enum ?? [];
}

function errorExampleOf(code: ErrorCode): { summary: string; value: unknown } {
  const message = ERROR_CODES[code][1];
  return { summary: message, value: { error: { code, message, details: EXAMPLE_DETAILS[code] ?? {} } } };
}

const EXAMPLE_DETAILS: Partial<Record<ErrorCode, unknown>> = {
  VALIDATION_ERROR: {
    fields: [{ field: 'environment_id', location: 'query', code: 'required', message: 'is required' }],
  },
  MFA_REQUIRED: { mfa_token: 'mfa_nZ3m…', expires_in: 300 },
  METHOD_NOT_ALLOWED: { allow: ['GET', 'HEAD', 'OPTIONS'] },
  RATE_LIMIT_EXCEEDED: { limit: 1_000, retry_after: 17, reset_at: 1_795_165_260 },
  INTERNAL_ERROR: { request_id: '6f1c8a52-2f0e-4d55-9a3e-0b7a3c1d9e11' },
};

/** Any path may return this answer, so it belongs to no operation. */
const METHOD_NOT_ALLOWED = {
  description: `METHOD_NOT_ALLOWED: ${ERROR_CODES.METHOD_NOT_ALLOWED[1]}`,
  headers: {
    Allow: {
      description: 'The methods that the path supports.',
      schema: { type: 'string', examples: ['GET, HEAD, OPTIONS'] },
    },
  },
  content: {
    'application/json': {
      schema: errorAnswers(['METHOD_NOT_ALLOWED'])[405],
      examples: { METHOD_NOT_ALLOWED: errorExampleOf('METHOD_NOT_ALLOWED') },
    },
  },
};

const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', examples: [example] },
});

const RATE_HEADERS = {
  'X-RateLimit-Limit': integerHeader('Maximum requests in the current window.', 1_000),
  'X-RateLimit-Remaining': integerHeader('Requests left in the window.', 997),
  'X-RateLimit-Reset': integerHeader('Unix time in seconds when the window resets.', 1_795_165_260),
};

const RETRY_AFTER = integerHeader('Seconds to wait.', 17);
