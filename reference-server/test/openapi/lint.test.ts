import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/http/errors.ts';
import { OF_THE_DASHBOARD } from '../errors/not-provoked.ts';
import { startEmptyServer } from '../server.ts';

let server: Awaited<ReturnType<typeof startEmptyServer>>;
let source: string;
// biome-ignore lint/suspicious/noExplicitAny: the tests read arbitrary parts of the document
let document: any;

beforeAll(async () => {
  server = await startEmptyServer();
  source = (await server.app.inject('/openapi.json')).payload;
  document = JSON.parse(source);
});
afterAll(() => server.close());

/** Rules in addition to the linter's strictest set, and one exception from that set. */
const RULES = {
  'operation-operationId': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'tag-description': 'error',
  'parameter-description': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-unused-components': 'error',
  // /flags/by-key/{key} and /flags/{flag_id}/history do not collide: no flag has the id `by-key`.
  'no-ambiguous-paths': 'off',
} as const;

/** Any path can answer 405, but no operation refers to that answer, so the linter reports it as unused. */
const METHOD_NOT_ALLOWED = '#/components/responses/MethodNotAllowed';

/** Operations without input, which have no 4xx answers. */
const CANNOT_REFUSE = [
  'getHealth',
  'getInstance',
  'getLiveness',
  'getReadiness',
  'getRulesetKeys',
  'getWebhookKeys',
];

test('a strict linter finds nothing wrong with /openapi.json', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  const remaining = problems
    .map(({ ruleId, location, message }) => ({ ruleId, pointer: location[0]?.pointer ?? '', message }))
    .filter(({ ruleId, pointer }) => {
      if (ruleId === 'no-unused-components' && pointer === METHOD_NOT_ALLOWED) return false;
      const path = pointer.split('/')[2]?.replaceAll('~1', '/') ?? '';
      const id = document.paths[path]?.get?.operationId;
      return !(ruleId === 'operation-4xx-response' && CANNOT_REFUSE.includes(id));
    });
  expect(remaining.map(({ ruleId, pointer, message }) => `${ruleId} ${pointer}: ${message}`)).toEqual([]);
});

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly object[];
  readonly responses: Record<string, { content?: Record<string, { examples?: object }>; headers?: object }>;
}

function operations(): readonly (Operation & Record<string, unknown>)[] {
  return Object.values(document.paths).flatMap((path) => Object.values(path as object));
}

test('each tag lists its most used operations first and the public keys last', () => {
  const ofTag = (tag: string) =>
    operations()
      .filter(({ tags }) => (tags as readonly string[]).includes(tag))
      .map(({ operationId }) => operationId);
  expect(ofTag('Data plane')).toEqual([
    'evaluate',
    'getRuleset',
    'streamRuleset',
    'streamRelay',
    'describeRelayKeys',
    'sendEvents',
    'getRulesetKeys',
  ]);
  expect(ofTag('Webhooks').at(0)).toBe('listWebhooks');
  expect(ofTag('Webhooks').at(-1)).toBe('getWebhookKeys');
});

test('every operation documents its permission, mode and rate limit', () => {
  for (const operation of operations()) {
    expect(operation).toMatchObject({
      operationId: expect.any(String),
      'x-mode': expect.stringMatching(/^(oss|saas)$/),
    });
    const isForUsers = operation.security.some((scheme) => 'bearerAuth' in scheme);
    if (isForUsers) expect(operation, operation.operationId).toHaveProperty('x-permission');
    if (operation.security.length > 0) {
      expect(operation, operation.operationId).toMatchObject({
        'x-rate-limit': { category: expect.any(String), requests: expect.any(Number), window_seconds: 60 },
      });
    }
  }
  expect(new Set(operations().map(({ operationId }) => operationId)).size).toBe(operations().length);
  expect(document.paths['/api/v1/organizations'].post['x-mode']).toBe('saas');
});

test('every operation and every field of a body says what it is', () => {
  const bare: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: the document is JSON
  const walk = (given: any, path: string, seen: readonly string[] = []): void => {
    const { $ref: ref } = given;
    if (seen.includes(ref)) return;
    const schema = ref === undefined ? given : document.components.schemas[ref.split('/').at(-1)];
    const below = ref === undefined ? seen : [...seen, ref];
    for (const one of schema.anyOf ?? []) walk(one, path, below);
    if (schema.items) walk(schema.items, path, below);
    for (const [name, field] of Object.entries<{ description?: string }>(schema.properties ?? {})) {
      if (field.description === undefined) bare.push(`${path}.${name}`);
      walk(field, `${path}.${name}`, below);
    }
  };
  for (const { operationId, description, requestBody } of operations()) {
    if (!description) bare.push(operationId);
    const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema: object }> };
    for (const { schema } of Object.values(content)) walk(schema, operationId);
  }
  expect(bare).toEqual([]);
});

test('every summary is plain text without Markdown', () => {
  for (const operation of operations()) expect(operation.summary).toMatch(/^[A-Z][^`*_]+[^.]$/);
});

test('ETag, warning and ignored-field headers are documented exactly where the server sends them', () => {
  const headersOf = (path: string, method: string, status: string) =>
    Object.keys(document.paths[`/api/v1${path}`][method].responses[status].headers);
  expect(headersOf('/flags/{flag_id}', 'get', '200')).toContain('ETag');
  expect(headersOf('/flags/{flag_id}', 'put', '412')).toContain('ETag');
  expect(headersOf('/flags/{flag_id}', 'put', '200')).toEqual(
    expect.arrayContaining(['ETag', 'X-FlagSvc-Warnings', 'X-FlagSvc-Ignored-Fields']),
  );
  expect(headersOf('/flags', 'get', '200')).not.toContain('ETag');
  expect(headersOf('/flags', 'get', '200')).toContain('X-FlagSvc-Ignored-Parameters');
  expect(headersOf('/evaluate', 'post', '200')).not.toContain('X-FlagSvc-Ignored-Parameters');
  expect(headersOf('/evaluate', 'post', '200')).toContain('X-FlagSvc-Ignored-Fields');
  expect(headersOf('/auth/login', 'post', '200')).toContain('X-FlagSvc-Ignored-Fields');
  expect(headersOf('/sdk/events', 'post', '202')).not.toContain('X-FlagSvc-Ignored-Fields');
  expect(headersOf('/flags/{flag_id}', 'delete', '204')).toContain('X-FlagSvc-Warnings');
});

test('Idempotency-Replayed is documented for POST only, and WWW-Authenticate for every 401', () => {
  for (const [path, methods] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        const where = `${method} ${path} ${status}`;
        if (method !== 'post') expect(Object.keys(headers), where).not.toContain('Idempotency-Replayed');
        if (status === '401') expect(Object.keys(headers), where).toContain('WWW-Authenticate');
      }
    }
  }
  const created = document.paths['/api/v1/flags'].post.responses['201'];
  expect(Object.keys(created.headers)).toContain('Idempotency-Replayed');
});

test('every JSON answer has an example', () => {
  for (const { operationId, responses } of operations()) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const [type, media] of Object.entries(content)) {
        if (!type.includes('json')) continue;
        expect(
          media.examples ?? (media as { example?: unknown }).example,
          `${operationId} ${status}`,
        ).toBeDefined();
      }
    }
  }
});

test('the example answer of an evaluation contains only flags of the example request', () => {
  const { requestBody, responses } = document.paths['/api/v1/evaluate'].post;
  const [request, answer] = [requestBody, responses['200']].map(
    ({ content }) => content['application/json'].examples.success.value,
  );
  const flags = Object.keys(answer.data.evaluations);
  expect(request.flags).toEqual(expect.arrayContaining([...flags, ...answer.data.track_exposures]));
});

test('every error code has an example', () => {
  const named = new Set(Object.keys(document.components.examples));
  expect(Object.keys(ERROR_CODES).filter((code) => !named.has(code))).toEqual(OF_THE_DASHBOARD);
});

test('the document describes webhook messages, and names every schema used more than once', () => {
  expect(Object.keys(document.webhooks)).toEqual(
    expect.arrayContaining([
      'flag.toggled',
      'segment.updated',
      'ruleset.updated',
      'webhook.disabled',
      'ping',
    ]),
  );
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      'Flag',
      'FlagListItem',
      'Project',
      'Environment',
      'Segment',
      'CreateFlagBody',
      'Webhook',
    ]),
  );
  expect(source.length).toBeLessThan(2_200_000);
});
