import { expect, test } from 'vitest';
import { type ForeignFormat, readForeign } from './read-foreign.ts';

const SCOPE = { environmentKeys: ['development', 'production'], isChosen: false };

function read(format: ForeignFormat, document: unknown, scope = SCOPE) {
  const { document: read, losses } = readForeign(document, format, scope);
  return {
    flags: read.flags ?? [],
    segments: read.segments ?? [],
    codes: losses.map((one) => (typeof one === 'string' ? one : one.code)),
  };
}

const OFF = { on: false, offVariation: 1, fallthrough: { variation: 0 } };

test("reads each environment of LaunchDarkly's REST API, and segments by environment", () => {
  const clauses = [{ attribute: '', op: 'segmentMatch', values: ['staff'] }];
  const environments = {
    production: { ...OFF, on: true, rules: [{ variation: 0, clauses }], fallthrough: { variation: 1 } },
    development: OFF,
    test: OFF,
  };
  const variations = [{ value: true, name: 'Yes' }, { value: false }];
  const items = [{ key: 'a', name: 'A', temporary: false, tags: ['x'], variations, environments }];
  const segments = {
    production: { items: [{ key: 'staff', name: 'Staff', included: ['ada'], excluded: [], rules: [] }] },
  };
  const found = read('launchdarkly', { items, segments });
  expect(found.flags).toMatchObject([
    {
      ...{ key: 'a', name: 'A', permanent: true, tags: ['x'], flag_type: 'boolean' },
      variations: [{ key: 'on', name: 'Yes' }, { key: 'off' }],
      environments: {
        development: { enabled: false, default_variation: 'off' },
        production: {
          enabled: true,
          targeting_rules: [
            {
              conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
              variation: 'on',
            },
          ],
        },
      },
    },
  ]);
  expect(Object.keys(found.flags[0]!.environments!)).toEqual(['production', 'development']);
  expect(found.segments).toMatchObject([{ key: 'staff', name: 'Staff', included: ['ada'] }]);
  expect(found.codes).toContain('environment-left-out');
});

test('leaves out flags of which LaunchDarkly exported only a summary', () => {
  const items = [
    {
      key: 'a',
      variations: [{ value: true }, { value: false }],
      environments: { production: { on: true, _summary: {} } },
    },
  ];
  const found = read('launchdarkly', { items });
  expect([found.flags, found.codes]).toEqual([[], ['flag-left-out']]);
});

test('switches off a flag whose prerequisite is the default variation of a flag that more users get now', () => {
  const shared = { on: true, variations: [true, false], offVariation: 1, fallthrough: { variation: 0 } };
  const parent = {
    ...shared,
    rules: [{ variation: 0, clauses: [{ attribute: 'a', op: 'unknown', values: ['x'] }] }],
  };
  const child = { ...shared, prerequisites: [{ key: 'parent', variation: 1 }] };
  const scope = { environmentKeys: ['production'], isChosen: true };
  const found = read('launchdarkly', { flags: { parent, child } }, scope);
  expect(found.flags[1]!.environments).toMatchObject({ production: { enabled: false } });
  expect(found.codes).toContain('rule-left-out');
});

test('says that a variation which a flag serves while its own prerequisites are not met is not enough', () => {
  const shared = { on: true, variations: [true, false], offVariation: 0, fallthrough: { variation: 1 } };
  const needs = (key: string, variation: number) => ({ ...shared, prerequisites: [{ key, variation }] });
  const flags = {
    base: shared,
    parent: needs('base', 1),
    child: needs('parent', 0),
    other: needs('base', 0),
  };
  const scope = { environmentKeys: ['production'], isChosen: true };
  const { losses } = readForeign({ flags }, 'launchdarkly', scope);
  expect(losses).toMatchObject([{ code: 'rule-narrowed', path: 'flags.child.prerequisites' }]);
});

test("reads Unleash's export with its environment, tags and dependencies", () => {
  const document = {
    features: [
      { name: 'parent', type: 'kill-switch' },
      { name: 'child', type: 'release' },
    ],
    featureEnvironments: [
      { featureName: 'parent', environment: 'production', enabled: true },
      { featureName: 'child', environment: 'production', enabled: true },
    ],
    featureStrategies: [
      {
        featureName: 'child',
        name: 'userWithId',
        parameters: { userIds: 'ada' },
        segments: [7],
        sortOrder: 1,
      },
      { featureName: 'child', name: 'default', disabled: true, sortOrder: 0 },
    ],
    segments: [
      { id: 7, name: 'Swiss', constraints: [{ contextName: 'country', operator: 'IN', values: ['ch'] }] },
    ],
    featureTags: [{ featureName: 'child', tagType: 'simple', tagValue: 'shop' }],
    dependencies: [{ feature: 'child', dependencies: [{ feature: 'parent', enabled: true, variants: [] }] }],
  };
  expect(read('unleash', document).flags).toMatchObject([
    {
      key: 'parent',
      classification: 'ops_killswitch',
      environments: { production: { targeting_rules: [{ conditions: [], variation: 'on' }] } },
    },
    {
      ...{ key: 'child', tags: ['shop'] },
      environments: {
        production: {
          prerequisites: [{ flag_key: 'parent', variation: 'on' }],
          targeting_rules: [
            {
              conditions: [
                { attribute: '$segment', operator: 'one_of', value: ['swiss'] },
                { attribute: 'user_key', operator: 'one_of', value: ['ada'] },
              ],
            },
          ],
        },
      },
    },
  ]);
  const { constraints: _, ...unknown } = document.segments[0]!;
  const found = read('unleash', { ...document, segments: [unknown] });
  expect(found.codes).toContain('segment-left-out');
  expect(found.flags[1]!.environments!['production']!.targeting_rules).toBeUndefined();
});

test("reads features of GrowthBook's REST API, with saved groups and what the API leaves open", () => {
  const rules = [
    {
      type: 'force',
      value: 'true',
      condition: '{"plan":"pro"}',
      savedGroupTargeting: [{ matchType: 'none', savedGroups: ['g'] }],
      enabled: true,
    },
    { type: 'experiment-ref', experimentId: 'e', enabled: true },
    { type: 'force', value: 'true', enabled: true },
  ];
  const features = [
    {
      id: 'a',
      valueType: 'boolean',
      defaultValue: 'false',
      description: 'D',
      environments: { production: { enabled: true, rules } },
    },
  ];
  const savedGroups = [{ id: 'g', type: 'list', name: 'Guests', attributeKey: 'id', values: ['eve'] }];
  const found = read('growthbook', { features, savedGroups });
  expect(found.flags).toMatchObject([
    {
      ...{ key: 'a', description: 'D', default_variation: 'off' },
      environments: {
        production: {
          enabled: true,
          targeting_rules: [
            {
              conditions: [
                { attribute: 'plan', operator: 'one_of', value: ['pro'] },
                { attribute: '$segment', operator: 'not_one_of', value: ['guests'] },
              ],
              variation: 'on',
            },
          ],
        },
      },
    },
  ]);
  expect(found.flags[0]!.environments!['production']!.targeting_rules).toHaveLength(1);
  expect(found.codes).toEqual(expect.arrayContaining(['rule-left-out', 'rules-cut']));
});

test('leaves out the second of two flags whose keys become the same', () => {
  const features = ['newSearch', 'new_search'].map((name) => ({ name, enabled: true, strategies: [] }));
  const scope = { environmentKeys: ['production'], isChosen: true };
  const found = read('unleash', { features }, scope);
  expect(found.flags.map(({ key }) => key)).toEqual(['new-search']);
  expect(found.codes).toEqual(expect.arrayContaining(['flag-renamed', 'flag-left-out']));
});
