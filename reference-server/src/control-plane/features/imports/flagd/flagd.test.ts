import { expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { type Body, refused } from '../../../../../test/api-call.ts';
import { startServer } from '../../../../../test/server.ts';
import { FlagdFault } from '../import-errors.ts';
import { type FlagdScope, readAlternatives } from './read-conditions.ts';
import { readFlagd } from './read-flagd.ts';

type Document = Body<'POST /projects/{project_id}/imports'>['document'];

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

test('an imported flagd file can be exported and imported again without changes', async () => {
  const server = await startServer();
  const api = server.as('editor');
  const importOf = (document: unknown, by: Pick<Api, 'imports'> = api) =>
    by.imports.create(server.projectId, {
      format: 'flagd',
      document: document as Document,
      environment_keys: ['production'],
    });
  const planned = await importOf(FLAGD);
  expect(planned.plan).toMatchObject({
    create: { segments: ['staff'], flags: ['banner', 'limit'] },
    errors: [],
    warnings: [{ code: 'rollouts-reach-other-users' }],
  });
  const applied = await api.imports.apply(planned.id, {}, { headers: { prefer: 'wait=10' } });
  expect(applied.status).toBe('applied');

  const banner = await api.flags.getByKey('banner');
  expect(banner).toMatchObject({ enabled: true, flag_type: 'boolean' });
  expect(
    banner.targeting_rules.map(({ conditions, variation }) => [conditions.length, variation ?? 'rollout']),
  ).toEqual([
    [1, 'on'],
    [1, 'on'],
    [1, 'on'],
    [0, 'rollout'],
  ]);
  expect(await api.in(server.environments.staging).flags.getByKey('banner')).toMatchObject({
    enabled: false,
    targeting_rules: [],
  });

  const url = `/projects/${server.projectId}/export?format=flagd`;
  const { body: written } = await api.raw({ url: `${url}&environment_keys=production` });
  const some = (name: string, test: object) => ({ some: [{ merge: [{ var: name }] }, test] });
  const isText = { '===': [{ var: '' }, { cat: [{ var: '' }, ''] }] };
  expect(written.flags.banner).toEqual({
    state: 'ENABLED',
    variants: { on: true, off: false },
    defaultVariant: 'off',
    targeting: {
      if: [
        { $ref: 'staff' },
        'on',
        some('plan', { '===': [{ var: '' }, 'pro'] }),
        'on',
        some('country', { and: [isText, { in: [{ var: '' }, ['de', 'fr']] }] }),
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
    staff: some('email', { and: [isText, { in: ['@example.com', { var: '' }] }] }),
  });
  expect(written.flags.limit).toEqual({
    state: 'DISABLED',
    variants: { low: 10, high: 20 },
    defaultVariant: 'low',
  });
  const again = await importOf(written);
  expect(again.plan).toMatchObject({ update: { flags: [] }, create: { flags: [] }, errors: [] });
  expect((await api.raw({ url })).body.error.code).toBe('VALIDATION_ERROR');

  const errorsOf = async (document: object) => (await refused(importOf(document))).details.errors;
  expect(
    await errorsOf({
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
    }),
  ).toMatchObject([
    { path: 'flags.no-default', code: 'defaultVariant' },
    { path: 'flags.mixed', code: 'variants' },
    { path: 'flags.odd', code: 'targeting' },
  ]);
  const long = 'x'.repeat(200);
  expect(
    await errorsOf({
      flags: {
        Dark: { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'on' },
        light: { state: 'ENABLED', variants: { [long]: true, off: false }, defaultVariant: 'off' },
      },
    }),
  ).toMatchObject([
    { path: 'flags.Dark', key: 'Dark' },
    { path: `flags.light.variants.${long}`, key: 'light' },
  ]);
  const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`s${i}`, FLAGD.$evaluators.staff]));
  expect(await errorsOf({ $evaluators: many, flags: {} })).toMatchObject([
    { path: '$evaluators', code: 'maxItems' },
  ]);
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
    'users who are in none of several segments',
    { '!': { or: [{ $ref: 's' }, { $ref: 't' }] } },
    [[{ attribute: '$segment', operator: 'not_one_of', value: ['s', 't'] }]],
  ],
])('reads %s', (_name, logic, expected) => {
  expect(readAlternatives(logic, SCOPE)).toEqual(expected);
});

test.each<[string, unknown]>([
  ['arithmetic', { '%': [fact, 2] }],
  ['the operator >=', { '>=': [fact, 2] }],
  ['an order comparison with a text', { '>': [fact, '2'] }],
  ['a range of versions', { sem_ver: [fact, '~', '2.0.0'] }],
  ['a comparison with a computed side', { '==': [{ cat: [fact, 'x'] }, 'y'] }],
  ['a negated order comparison', { '!': { '>': [fact, 2] } }],
  ['a thousand alternatives', { and: Array(10).fill({ or: [{ '==': [fact, 1] }, { '==': [fact, 2] }] }) }],
  ['no operation', ['x']],
  ['nothing', {}],
])('refuses %s', (_name, logic) => {
  expect(() => readAlternatives(logic, SCOPE)).toThrow(FlagdFault);
});

test('the plan and the dry run warn about everything in the file that the import drops', async () => {
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
  const api = server.as('editor');
  const body = { format: 'flagd' as const, document: document as Document, environment_keys: ['production'] };
  const subjectsOf = (warnings: readonly { code: string; details: Record<string, unknown> }[]) =>
    warnings.map(({ code, details }) => [code, details['subject'] ?? null]).sort();
  const planned = await api.imports.create(server.projectId, body);
  expect(subjectsOf(planned.plan.warnings)).toEqual(expected);
  const tried = await api.dryRun.imports.create(server.projectId, body);
  expect(subjectsOf(tried.plan[0]!.warnings)).toEqual(expected);
  await server.close();
});

test.each<[string, object, object[]]>([
  [
    'a fractional by an attribute, with the default for users without the attribute',
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
    'a negation, and limits the rule after it to users with the attribute',
    { if: [{ '!==': [{ var: 'country' }, 'de'] }, 'off', 'on'] },
    [
      { conditions: [{ attribute: 'country', operator: 'is_not', value: 'de' }], variation: 'off' },
      { conditions: [{ attribute: 'country', operator: 'not_one_of', value: [] }], variation: 'on' },
    ],
  ],
  [
    'starts_with a text that has a hyphen and a slash',
    { if: [{ starts_with: [fact, 'a-b/c'] }, 'on'] },
    [{ conditions: [{ attribute: 'a', operator: 'matches_regex', value: '^a-b/c' }], variation: 'on' }],
  ],
])('imports %s', (_name, targeting, expected) => {
  const variants = { on: true, off: false };
  const source = { flags: { f: { state: 'ENABLED', variants, defaultVariant: 'off', targeting } } };
  const { document } = readFlagd(source, ['production']);
  expect(document.flags?.[0]?.environments?.['production']?.targeting_rules).toMatchObject(expected);
});

const STAFF = { $evaluators: { staff: { '!==': [{ var: 'country' }, 'de'] } } };

test.each<[string, object, object]>([
  ['an attribute user_key', {}, { '===': [{ var: 'user_key' }, 'u'] }],
  ['a default value in var', {}, { '===': [{ var: ['plan', 'pro'] }, 'pro'] }],
  ['a reference to nothing', {}, { $ref: 'staff' }],
  ['! of a segment that holds users without an attribute', STAFF, { '!': { $ref: 'staff' } }],
])('a flagd file with %s is refused, with the path of the fault', (_name, head, condition) => {
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };
  const source = { ...head, flags: { f: { ...flag, targeting: { if: [condition, 'on'] } } } };
  expect(() => readFlagd(source, [])).toThrow(
    expect.objectContaining({ details: { errors: [expect.objectContaining({ path: 'flags.f' })] } }),
  );
});
