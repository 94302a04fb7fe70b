import type { RulesetRows } from '../src/publishing/compile.ts';

/** Rows of flags of all four types with targeting, segments and rollouts, and of two segments. */
export function sampleRows(count: number): RulesetRows {
  const flags = Array.from({ length: count }, (_, index) => sampleFlag(index));
  return {
    environmentId: 'env_bench',
    version: 1,
    flags,
    segments: [
      {
        id: 'seg_01',
        key: 'beta-users',
        conditions_json: JSON.stringify([
          { attribute: 'email', operator: 'contains', value: '@example.com' },
        ]),
      },
      {
        id: 'seg_02',
        key: 'staff',
        conditions_json: JSON.stringify([
          { attribute: 'role', operator: 'one_of', value: ['staff', 'admin'] },
        ]),
      },
    ],
  };
}

const TYPES = ['boolean', 'string', 'number', 'json'] as const;
const VALUES = {
  boolean: [true, false],
  string: ['classic', 'modern'],
  number: [10, 25],
  json: [
    { theme: 'dark', columns: 3 },
    { theme: 'light', columns: 2 },
  ],
};

type Rule = {
  readonly conditions: readonly object[];
  readonly variation?: string;
  readonly percentage_rollout?: object;
};

const country = (value: string) => ({ attribute: 'country', operator: 'is', value });
const paying = { attribute: 'plan', operator: 'one_of', value: ['pro', 'team', 'enterprise'] };
const staff = { attribute: '$segment', operator: 'one_of', value: ['staff'] };
const recent = { attribute: 'app_version', operator: 'version_gt', value: '2.4.0' };
const rollout = (percentage: number) => [
  { variation: 'on', percentage },
  { variation: 'off', percentage: 100 - percentage },
];

/** Rules as in a grown project: many flags have none, some have one, a few have several. */
function rulesOf(index: number): Rule[] {
  switch (index % 8) {
    case 0:
    case 1:
    case 2:
      return [];
    case 3:
      return [{ conditions: [country('DE')], variation: 'on' }];
    case 4:
      return [{ conditions: [paying], variation: 'on' }];
    case 5:
      return [{ conditions: [], percentage_rollout: rollout((index * 7) % 100) }];
    case 6:
      return [{ conditions: [staff], variation: 'on' }];
    default:
      return [
        { conditions: [staff], variation: 'on' },
        { conditions: [paying, country('FR')], variation: 'on' },
        { conditions: [recent], percentage_rollout: rollout((index * 13) % 100) },
      ];
  }
}

function sampleFlag(index: number): RulesetRows['flags'][number] {
  const flag_type = TYPES[Math.floor(index / 8) % 4]!;
  const [first, second] = VALUES[flag_type];
  const rules = rulesOf(index).map((rule, position) => ({
    id: `rule_01JCW4N8X${String(index).padStart(12, '0')}${position}`,
    priority: position + 1,
    name: `Rule ${position + 1}`,
    ...rule,
  }));
  return {
    key: `team-${index % 17}-feature-${index}`,
    flag_type,
    status: index % 50 === 0 ? 'archived' : 'active',
    enabled: index % 10 === 0 ? 0 : 1,
    client_side: index % 3 === 0 ? 1 : 0,
    variations_json: JSON.stringify([
      { key: 'on', name: 'On', value: first },
      { key: 'off', name: 'Off', value: second },
    ]),
    default_variation: 'off',
    rules_json: JSON.stringify(rules),
    prerequisites_json: '[]',
  };
}
