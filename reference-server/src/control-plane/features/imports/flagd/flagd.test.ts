import { expect, test } from 'vitest';
import { startServer } from '../../../../../test/server.ts';
import { FlagdFault } from '../import-errors.ts';
import { type FlagdScope, readAlternatives } from './read-conditions.ts';
import { readFlagd } from './read-flagd.ts';

const FLAGD = {
  $schema: 'https://flagd.dev/schema/v0/flags.json',
  $evaluators: { staff: { in: ['@example.com', { var: 'email' }] } },
  flags: {
    banner: {
      state: 'ENABLED',
      variants: { on: true, off: false },
      defaultVariant: 'off',
      targeting: {
        if: [
          { $ref: 'staff' },
          'on',
          { or: [{ '==': [{ var: 'plan' }, 'pro'] }, { in: [{ var: 'country' }, ['de', 'fr']] }] },
          'on',
          {
            fractional: [
              ['on', 25],
              ['off', 75],
            ],
          },
        ],
      },
    },
    limit: {
      state: 'DISABLED',
      variants: { low: 10, high: 20 },
      defaultVariant: 'low',
      targeting: {},
    },
  },
};

test('takes a file of flagd, and gives one that says the same', async () => {
  const server = await startServer();
  const call = (method: 'POST', url: string, body: object, headers = {}) =>
    server.call({ method, url, token: server.tokens.editor, body, headers });
  const body = { format: 'flagd', document: FLAGD, environment_keys: ['production'] };
  const planned = await call('POST', `/projects/${server.projectId}/imports`, body);
  expect(planned.body.data.plan).toMatchObject({
    create: { segments: ['staff'], flags: ['banner', 'limit'] },
    errors: [],
    warnings: [{ code: 'rollouts-reach-other-users' }],
  });
  const applied = await call('POST', `/imports/${planned.body.data.id}/apply`, {}, { prefer: 'wait=10' });
  expect(applied.body.data.status).toBe('applied');

  const read = async (url: string) => (await server.call({ url, token: server.tokens.viewer })).body;
  const banner = await read(`/flags/by-key/banner?environment_id=${server.environments.production}`);
  expect(banner.data).toMatchObject({ enabled: true, flag_type: 'boolean' });
  expect(
    banner.data.targeting_rules.map((rule: { conditions: object[]; variation?: string }) => [
      rule.conditions.length,
      rule.variation ?? 'rollout',
    ]),
  ).toEqual([
    [1, 'on'],
    [1, 'on'],
    [1, 'on'],
    [0, 'rollout'],
  ]);
  const staging = await read(`/flags/by-key/banner?environment_id=${server.environments.staging}`);
  expect(staging.data).toMatchObject({ enabled: false, targeting_rules: [] });

  const url = `/projects/${server.projectId}/export?format=flagd&environment_keys=production`;
  const written = await read(url);
  const asked = (name: string, question: object) => ({ some: [{ merge: [{ var: name }] }, question] });
  const isText = { '===': [{ var: '' }, { cat: [{ var: '' }, ''] }] };
  expect(written.flags.banner).toEqual({
    state: 'ENABLED',
    variants: { on: true, off: false },
    defaultVariant: 'off',
    targeting: {
      if: [
        { $ref: 'staff' },
        'on',
        asked('plan', { '===': [{ var: '' }, 'pro'] }),
        'on',
        asked('country', { and: [isText, { in: [{ var: '' }, ['de', 'fr']] }] }),
        'on',
        true,
        {
          fractional: [
            ['on', 25],
            ['off', 75],
          ],
        },
        null,
      ],
    },
  });
  expect(written.$evaluators).toEqual({
    staff: asked('email', { and: [isText, { in: ['@example.com', { var: '' }] }] }),
  });
  expect(written.flags.limit).toEqual({
    state: 'DISABLED',
    variants: { low: 10, high: 20 },
    defaultVariant: 'low',
  });
  // What it gave, it takes.
  const again = await call('POST', `/projects/${server.projectId}/imports`, { ...body, document: written });
  expect(again.body.data.plan).toMatchObject({ update: { flags: [] }, create: { flags: [] }, errors: [] });
  expect((await read(`/projects/${server.projectId}/export?format=flagd`)).error.code).toBe(
    'VALIDATION_ERROR',
  );

  const refused = await call('POST', `/projects/${server.projectId}/imports`, {
    format: 'flagd',
    document: {
      flags: {
        'no-default': { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: null },
        mixed: { state: 'ENABLED', variants: { on: true, off: 'off' }, defaultVariant: 'on' },
        odd: {
          state: 'ENABLED',
          variants: { on: true, off: false },
          defaultVariant: 'on',
          targeting: { if: [{ '%': [{ var: 'a' }, 2] }, 'on'] },
        },
      },
    },
  });
  expect(
    refused.body.error.details.errors.map((one: { path: string; code: string }) => [one.path, one.code]),
  ).toEqual([
    ['flags.no-default', 'defaultVariant'],
    ['flags.mixed', 'variants'],
    ['flags.odd', 'targeting'],
  ]);
  const long = 'x'.repeat(200);
  const document = {
    flags: {
      Dark: { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'on' },
      light: { state: 'ENABLED', variants: { [long]: true, off: false }, defaultVariant: 'off' },
    },
  };
  const named = await call('POST', `/projects/${server.projectId}/imports`, { format: 'flagd', document });
  expect(
    named.body.error.details.errors.map((one: { path: string; key: string }) => [one.path, one.key]),
  ).toEqual([
    ['flags.Dark', 'Dark'],
    [`flags.light.variants.${long}`, 'light'],
  ]);
  const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`s${i}`, FLAGD.$evaluators.staff]));
  const crowded = await call('POST', `/projects/${server.projectId}/imports`, {
    format: 'flagd',
    document: { $evaluators: many, flags: {} },
  });
  expect(crowded.status).toBe(422);
  expect(crowded.body.error.details.errors).toMatchObject([{ path: '$evaluators', code: 'maxItems' }]);
  await server.close();
});

const fact = { var: 'a' };

const SCOPE: FlagdScope = {
  refer: (refs, isNegative) => ({
    attribute: '$segment',
    operator: isNegative ? 'not_one_of' : 'one_of',
    value: [...refs],
  }),
  matchesMissing: () => {},
  warn: () => {},
};

test.each<[string, unknown, object[][]]>([
  ['always', true, [[]]],
  ['never', false, []],
  ['equality', { '===': [fact, 'x'] }, [[{ attribute: 'a', operator: 'is', value: 'x' }]]],
  ['inequality', { '!=': [fact, 'x'] }, [[{ attribute: 'a', operator: 'is_not', value: 'x' }]]],
  [
    'the user',
    { '==': [{ var: 'targetingKey' }, 'u'] },
    [[{ attribute: 'user_key', operator: 'is', value: 'u' }]],
  ],
  ['a list', { in: [fact, ['x', 1]] }, [[{ attribute: 'a', operator: 'one_of', value: ['x', 1] }]]],
  ['no list', { '!': { in: [fact, ['x']] } }, [[{ attribute: 'a', operator: 'not_one_of', value: ['x'] }]]],
  ['a part', { in: ['x', fact] }, [[{ attribute: 'a', operator: 'contains', value: 'x' }]]],
  [
    'a start',
    { starts_with: [fact, 'a.b'] },
    [[{ attribute: 'a', operator: 'matches_regex', value: '^a\\.b' }]],
  ],
  [
    'an end',
    { ends_with: [fact, '(x)'] },
    [[{ attribute: 'a', operator: 'matches_regex', value: '\\(x\\)$' }]],
  ],
  ['a number', { '>': [fact, 3] }, [[{ attribute: 'a', operator: 'gt', value: 3 }]]],
  [
    'a version',
    { sem_ver: [fact, '<', '2.0.0'] },
    [[{ attribute: 'a', operator: 'version_lt', value: '2.0.0' }]],
  ],
  [
    'alternatives of conjunctions',
    { and: [{ or: [{ '==': [fact, 1] }, { '==': [fact, 2] }] }, { '==': [{ var: 'b' }, 3] }] },
    [
      [
        { attribute: 'a', operator: 'is', value: 1 },
        { attribute: 'b', operator: 'is', value: 3 },
      ],
      [
        { attribute: 'a', operator: 'is', value: 2 },
        { attribute: 'b', operator: 'is', value: 3 },
      ],
    ],
  ],
  [
    'no member of several segments',
    { '!': { or: [{ $ref: 's' }, { $ref: 't' }] } },
    [[{ attribute: '$segment', operator: 'not_one_of', value: ['s', 't'] }]],
  ],
])('reads %s', (_name, logic, expected) => {
  expect(readAlternatives(logic, SCOPE)).toEqual(expected);
});

test.each<[string, unknown]>([
  ['arithmetic', { '%': [fact, 2] }],
  ['at least', { '>=': [fact, 2] }],
  ['a text compared', { '>': [fact, '2'] }],
  ['a versions range', { sem_ver: [fact, '~', '2.0.0'] }],
  ['a computed side', { '==': [{ cat: [fact, 'x'] }, 'y'] }],
  ['a negated order', { '!': { '>': [fact, 2] } }],
  ['a thousand alternatives', { and: Array(10).fill({ or: [{ '==': [fact, 1] }, { '==': [fact, 2] }] }) }],
  ['no operation', ['x']],
  ['nothing', {}],
])('refuses %s', (_name, logic) => {
  expect(() => readAlternatives(logic, SCOPE)).toThrow(FlagdFault);
});

test('names everything of a file that is lost, in the plan and in the dry run', async () => {
  const server = await startServer();
  const flag = (targeting: object, more = {}) => ({
    state: 'ENABLED',
    variants: { on: true, off: false },
    defaultVariant: 'off',
    targeting,
    ...more,
  });
  const thirds = [
    ['on', 1],
    ['off', 2],
  ];
  const document = {
    metadata: { team: 'web' },
    flags: {
      described: flag({}, { metadata: { owner: 'ann' }, version: 3 }),
      sticky: flag({ fractional: [{ var: 'company' }, ...thirds] }),
      nested: flag({ if: [{ '===': [{ var: 'user.plan' }, 'pro'] }, 'on'] }),
      open: flag({ if: [{ '!=': [{ var: 'country' }, 'de'] }, 'on', true, 'on'] }),
    },
  };
  const expected = [
    ['field-ignored', 'metadata'],
    ['bucketing-attribute-ignored', 'flags.sticky.targeting'],
    ['shares-rounded', 'flags.sticky.targeting'],
    ['rollouts-reach-other-users', null],
    ['path-read-as-name', 'flags.nested.targeting (user.plan)'],
    ['missing-attributes-get-the-default', 'flags.open.targeting'],
    ['field-ignored', 'flags.described.metadata'],
    ['field-ignored', 'flags.described.version'],
  ].sort();
  const post = (query: string) =>
    server.call({
      method: 'POST',
      url: `/projects/${server.projectId}/imports${query}`,
      token: server.tokens.editor,
      body: { format: 'flagd', document, environment_keys: ['production'] },
    });
  const named = (warnings: { code: string; details: { subject?: string } }[]) =>
    warnings.map(({ code, details }) => [code, details.subject ?? null]).sort();
  expect(named((await post('')).body.data.plan.warnings)).toEqual(expected);
  expect(named((await post('?dry_run=true')).body.data.plan[0].warnings)).toEqual(expected);
  await server.close();
});

test.each<[string, object, object[]]>([
  [
    'a fractional by an attribute, which serves the default without it',
    { fractional: [{ var: 'company' }, ['on', 50], ['off', 50]] },
    [
      {
        conditions: [{ attribute: 'company', operator: 'not_one_of', value: [] }],
        percentage_rollout: [
          { variation: 'on', percentage: 50 },
          { variation: 'off', percentage: 50 },
        ],
      },
      { conditions: [], variation: 'off' },
    ],
  ],
  [
    'what flagd serves without an attribute, and keeps those users from the rules behind',
    { if: [{ '!==': [{ var: 'country' }, 'de'] }, 'off', 'on'] },
    [
      { conditions: [{ attribute: 'country', operator: 'is_not', value: 'de' }], variation: 'off' },
      { conditions: [{ attribute: 'country', operator: 'not_one_of', value: [] }], variation: 'on' },
    ],
  ],
  [
    'a start with a hyphen and a slash',
    { if: [{ starts_with: [fact, 'a-b/c'] }, 'on'] },
    [{ conditions: [{ attribute: 'a', operator: 'matches_regex', value: '^a-b/c' }], variation: 'on' }],
  ],
])('takes over %s', (_name, targeting, expected) => {
  const variants = { on: true, off: false };
  const source = { flags: { f: { state: 'ENABLED', variants, defaultVariant: 'off', targeting } } };
  const { document } = readFlagd(source, ['production']);
  expect(document.flags?.[0]?.environments?.['production']?.targeting_rules).toMatchObject(expected);
});

const STAFF = { $evaluators: { staff: { '!==': [{ var: 'country' }, 'de'] } } };

test.each<[string, object, object]>([
  ['an attribute user_key', {}, { '===': [{ var: 'user_key' }, 'u'] }],
  ['a default of var', {}, { '===': [{ var: ['plan', 'pro'] }, 'pro'] }],
  ['a reference to nothing', {}, { $ref: 'staff' }],
  ['! of a segment that holds users without an attribute', STAFF, { '!': { $ref: 'staff' } }],
])('refuses %s, and says where', (_name, head, condition) => {
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };
  const source = { ...head, flags: { f: { ...flag, targeting: { if: [condition, 'on'] } } } };
  expect(() => readFlagd(source, [])).toThrow(
    expect.objectContaining({ details: { errors: [expect.objectContaining({ path: 'flags.f' })] } }),
  );
});
