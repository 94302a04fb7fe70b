import type { ConditionBody, RuleBody } from '../../../reference-server/test/server.ts';
import { valuesOf } from './flag-values.ts';

type Rule = Omit<RuleBody, 'priority'>;

const is = (attribute: string, value: string): ConditionBody => ({ attribute, operator: 'is', value });
const oneOf = (attribute: string, ...value: string[]): ConditionBody => ({
  attribute,
  operator: 'one_of',
  value,
});
const inSegment = (...keys: string[]): ConditionBody => oneOf('$segment', ...keys);
const newerThan = (version: string): ConditionBody => ({
  attribute: 'app_version',
  operator: 'version_gt',
  value: version,
});

/** Rules from which flags with "2 rules" take the first two, and so on. */
const usual: readonly Pick<Rule, 'name' | 'conditions'>[] = [
  { name: 'Staff and beta testers', conditions: [inSegment('staff', 'beta-testers')] },
  {
    name: 'Pro customers in Benelux',
    conditions: [is('plan', 'pro'), oneOf('country', 'NL', 'BE', 'LU')],
  },
  { name: 'App 4.2 or newer', conditions: [is('platform', 'app'), newerThan('4.2.0')] },
  { name: 'Paying members', conditions: [inSegment('paying-members')] },
];

/** Rules of flags with a story of their own, by flag and environment. */
const own: Readonly<Record<string, readonly Rule[]>> = {
  'checkout-layout staging': [
    {
      name: 'Staff and beta testers',
      conditions: [inSegment('staff', 'beta-testers')],
      variation: 'express',
    },
    {
      name: 'Pro customers in Benelux',
      conditions: [is('plan', 'pro'), oneOf('country', 'NL', 'BE')],
      percentage_rollout: [
        { variation: 'one-page', percentage: 40 },
        { variation: 'classic', percentage: 45 },
        { variation: 'express', percentage: 15 },
      ],
    },
    {
      name: 'Pro customers in the Netherlands',
      conditions: [is('plan', 'pro'), is('country', 'NL')],
      variation: 'one-page',
    },
    {
      name: 'App 4.2 or newer',
      conditions: [is('platform', 'app'), newerThan('4.1.0')],
      variation: 'one-page',
    },
  ],
  'checkout-layout production': [
    {
      name: '',
      conditions: [],
      percentage_rollout: [
        { variation: 'one-page', percentage: 25 },
        { variation: 'classic', percentage: 75 },
      ],
    },
  ],
  'member-prices production': [
    { name: 'Paying members', conditions: [inSegment('paying-members')], variation: 'on' },
    { name: 'Staff', conditions: [inSegment('staff')], variation: 'on' },
    { name: 'Trial that has not ended', conditions: [is('plan', 'trial')], variation: 'on' },
    { name: 'Students', conditions: [inSegment('students')], variation: 'on' },
  ],
  'staff-discount production': [{ name: 'Staff', conditions: [inSegment('staff')], variation: 'on' }],
  'app-force-update production': [
    {
      name: 'App older than 3.0',
      conditions: [{ attribute: 'app_version', operator: 'version_lt', value: '3.0.0' }],
      variation: 'on',
    },
  ],
  'b2b-quick-order production': [
    { name: 'Business accounts', conditions: [inSegment('business')], variation: 'on' },
    { name: 'Resellers', conditions: [is('account_type', 'reseller')], variation: 'on' },
  ],
};

/** The rules that put a flag into a state: `on`, `40%` or `2 rules`. `off` has none. */
export function rulesFor(flag: string, environment: string, state: string): readonly RuleBody[] {
  const found = own[`${flag} ${environment}`] ?? ordinary(flag, state);
  return found.map((rule, index) => ({ ...rule, priority: (index + 1) * 10 }));
}

function ordinary(flag: string, state: string): readonly Rule[] {
  const { variations, default_variation: fallback } = valuesOf(flag);
  const variation = variations[0]!.key;
  if (state === 'on') return [{ name: '', conditions: [], variation }];
  if (state.endsWith('%')) {
    const percentage = Number.parseInt(state, 10);
    const percentage_rollout = [
      { variation, percentage },
      { variation: fallback, percentage: 100 - percentage },
    ];
    return [{ name: '', conditions: [], percentage_rollout }];
  }
  return usual
    .slice(0, state === 'off' ? 0 : Number.parseInt(state, 10))
    .map((rule) => ({ ...rule, variation }));
}
