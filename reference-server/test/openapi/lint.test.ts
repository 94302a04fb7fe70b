import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/http/errors.ts';
import { startEmptyServer } from '../server.ts';

let server: Awaited<ReturnType<typeof startEmptyServer>>;
let source: string;
// biome-ignore lint/suspicious/noExplicitAny: a document is walked here in every direction
let document: any;

beforeAll(async () => {
  server = await startEmptyServer();
  source = (await server.app.inject('/openapi.json')).payload;
  document = JSON.parse(source);
});
afterAll(() => server.close());

/** Beyond the strictest set that the linter has. */
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
  // /flags/by-key/{key} beside /flags/{flag_id}/history: no id of a flag is `by-key`.
  'no-ambiguous-paths': 'off',
} as const;

/** Of every path, so of no operation that could refer to it. */
const OF_NO_OPERATION = '#/components/responses/MethodNotAllowed';

/** Operations that take nothing and so refuse nothing. */
const CANNOT_REFUSE = [
  'getHealth',
  'getInstance',
  'getLiveness',
  'getReadiness',
  'getRulesetKeys',
  'getWebhookKeys',
];

test('is taken by a linter without a word', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  const told = problems
    .map(({ ruleId, location, message }) => ({ ruleId, pointer: location[0]?.pointer ?? '', message }))
    .filter(({ ruleId, pointer }) => {
      if (ruleId === 'no-unused-components' && pointer === OF_NO_OPERATION) return false;
      const path = pointer.split('/')[2]?.replaceAll('~1', '/') ?? '';
      const id = document.paths[path]?.get?.operationId;
      return !(ruleId === 'operation-4xx-response' && CANNOT_REFUSE.includes(id));
    });
  expect(told.map(({ ruleId, pointer, message }) => `${ruleId} ${pointer}: ${message}`)).toEqual([]);
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

test('lists what is called often before the keys that are read once', () => {
  const ofTag = (tag: string) =>
    operations()
      .filter(({ tags }) => (tags as readonly string[]).includes(tag))
      .map(({ operationId }) => operationId);
  expect(ofTag('Data plane')).toEqual([
    'evaluate',
    'getRuleset',
    'streamRuleset',
    'streamRelay',
    'sendEvents',
    'getRulesetKeys',
  ]);
  expect(ofTag('Webhooks').at(0)).toBe('listWebhooks');
  expect(ofTag('Webhooks').at(-1)).toBe('getWebhookKeys');
});

test('says of every operation who may call it, in which mode, and how often', () => {
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

test('heads each operation by plain words: a summary knows no Markdown', () => {
  for (const operation of operations()) expect(operation.summary).toMatch(/^[A-Z][^`*_]+[^.]$/);
});

test('describes entity tags, warnings and ignored fields where they are sent', () => {
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

test('describes replayed answers where a key of idempotency is read, and what every 401 asks for', () => {
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

test('gives an example of every body', () => {
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

test('gives an example of an evaluation in which the answer is about what was asked', () => {
  const { requestBody, responses } = document.paths['/api/v1/evaluate'].post;
  const [asked, answered] = [requestBody, responses['200']].map(
    ({ content }) => content['application/json'].examples.success.value,
  );
  const flags = Object.keys(answered.data.evaluations);
  expect(asked.flags).toEqual(expect.arrayContaining([...flags, ...answered.data.track_exposures]));
});

test('uses every error code somewhere', () => {
  const said = new Set(Object.keys(document.components.examples));
  expect(Object.keys(ERROR_CODES).filter((code) => !said.has(code))).toEqual([]);
});

test('describes what webhooks are told, and names what it says more than once', () => {
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
  expect(source.length).toBeLessThan(2_000_000);
});
