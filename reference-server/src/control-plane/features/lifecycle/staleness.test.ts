import { expect, test } from 'vitest';
import { readSettings } from '../projects/project-settings.ts';
import { possibleVariations, type StaleCandidate, type StaleConfig, staleReasons } from './staleness.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const POLICY = readSettings('{}').stale_policy;

const config = (more: Partial<StaleConfig> = {}): StaleConfig => ({
  environmentType: 'production',
  enabled: true,
  defaultVariation: 'off',
  rules: [{ conditions: [], variation: 'on' }],
  hasPrerequisites: false,
  updatedAt: NOW - 15 * DAY,
  ...more,
});

const flag = (more: Partial<StaleCandidate> = {}): StaleCandidate => ({
  classification: 'release',
  permanent: false,
  createdAt: NOW - 20 * DAY,
  expectedEndAt: null,
  staleAfterDays: null,
  snoozedUntil: null,
  configs: [],
  lastEvaluatedAt: NOW - DAY,
  servedSince: () => ({ variations: 0, evaluations: 0 }),
  ...more,
});

const CONDITION = { attribute: 'a', operator: 'is', value: 'x' } as const;
const rollout = (percentage: number) => ({
  conditions: [],
  percentage_rollout: [{ variation: 'on', percentage }],
});

/** A rule that says 100 % in whole percentages, and divides units of revision 3. */
const units = (more: object = {}) => ({
  ...rollout(100),
  bucketing: {
    revision: 3 as const,
    salt: 'exp',
    by: 'user_key',
    ranges: [{ variation: 'on', from: 0, to: 10_000 }],
    ...more,
  },
});

const reasonsOf = (candidate: StaleCandidate, isReporting = true) =>
  staleReasons(candidate, POLICY, { now: NOW, isReporting });

test.each<[string, Partial<StaleConfig>, readonly string[]]>([
  ['a rule for all', {}, ['on']],
  ['the flag disabled', { enabled: false }, ['off']],
  ['no rules', { rules: [] }, ['off']],
  ['a rule with conditions', { rules: [{ conditions: [CONDITION], variation: 'on' }] }, ['off', 'on']],
  ['a full rollout', { rules: [rollout(100)] }, ['on']],
  ['half a rollout', { rules: [rollout(50)] }, ['off', 'on']],
  ['prerequisites', { hasPrerequisites: true }, ['off', 'on']],
  ['a full range of units', { rules: [units()] }, ['on']],
  [
    'a range behind a gate',
    { rules: [units({ gates: [{ salt: 'holdout', from: 500, to: 10_000 }] })] },
    ['off', 'on'],
  ],
  [
    'a range that a gate of its own salt hides',
    {
      rules: [
        units({
          ranges: [{ variation: 'on', from: 0, to: 5_000 }],
          gates: [{ salt: 'exp', from: 5_000, to: 10_000 }],
        }),
      ],
    },
    ['off'],
  ],
  ['a full range of companies', { rules: [units({ by: 'company_id' })] }, ['off', 'on']],
  [
    'ranges that nearly fill up',
    { rules: [units({ ranges: [{ variation: 'on', from: 0, to: 9_950 }] })] },
    ['off', 'on'],
  ],
])('the variations that can be served with %s are known', (_name, more, expected) => {
  expect([...possibleVariations(config(more))].sort()).toEqual(expected);
});

test.each<[string, Partial<StaleCandidate>, readonly string[]]>([
  ['rolled out in production for two weeks', { configs: [config()] }, ['fully_rolled_out']],
  ['rolled out yesterday', { configs: [config({ updatedAt: NOW - DAY })] }, []],
  ['disabled in production', { configs: [config({ enabled: false })] }, []],
  [
    'at 100 % behind a gate in production',
    { configs: [config({ rules: [units({ gates: [{ salt: 'holdout', from: 0, to: 1_000 }] })] })] },
    [],
  ],
  [
    'rolled out in only one of two production environments',
    { configs: [config(), config({ rules: [rollout(50)] })] },
    [],
  ],
  [
    'split in staging, but rolled out in production',
    { configs: [config(), config({ environmentType: 'staging', rules: [rollout(50)] })] },
    ['fully_rolled_out'],
  ],
  [
    'rolled out in a project without production environments',
    {
      configs: [
        config({ environmentType: 'staging' }),
        config({ environmentType: 'staging', enabled: false }),
      ],
    },
    ['fully_rolled_out'],
  ],
  [
    'served as one variation a hundred times',
    { servedSince: () => ({ variations: 1, evaluations: 100 }) },
    ['single_variation_served'],
  ],
  ['served as one variation 99 times', { servedSince: () => ({ variations: 1, evaluations: 99 }) }, []],
  ['served as two variations', { servedSince: () => ({ variations: 2, evaluations: 1_000 }) }, []],
  [
    'not evaluated for a month',
    { createdAt: NOW - 31 * DAY, lastEvaluatedAt: NOW - 31 * DAY },
    ['not_evaluated'],
  ],
  ['never evaluated, but young', { lastEvaluatedAt: null }, []],
  ['past its expected end', { expectedEndAt: NOW - 1 }, ['past_expected_end']],
  ['older than the lifetime of its classification', { createdAt: NOW - 41 * DAY }, ['past_expected_end']],
  ['younger than the lifetime of migrations', { classification: 'migration', createdAt: NOW - 41 * DAY }, []],
  ['old, without a classification', { classification: null, createdAt: NOW - 400 * DAY }, []],
  ['permanent', { permanent: true, expectedEndAt: NOW - 1 }, []],
  ['a kill switch', { classification: 'ops_killswitch', expectedEndAt: NOW - 1 }, []],
  ['snoozed', { snoozedUntil: NOW + 1, expectedEndAt: NOW - 1 }, []],
  [
    'rolled out, but with a longer time limit of its own',
    { staleAfterDays: 90, configs: [config()], createdAt: NOW - 41 * DAY },
    [],
  ],
])('a flag that is %s has the expected stale reasons', (_name, more, expected) => {
  expect(reasonsOf(flag(more))).toEqual(expected);
});

test('missing evaluations do not make a flag stale when no SDK reports any', () => {
  const silent = flag({ createdAt: NOW - 31 * DAY, lastEvaluatedAt: null });
  expect(reasonsOf(silent, true)).toEqual(['not_evaluated']);
  expect(reasonsOf(silent, false)).toEqual([]);
});
