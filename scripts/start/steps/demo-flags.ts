/** The demo's flags and segment, as request bodies of the API. */

/** A flag, its targeting if any, and whether production enables it too. */
export interface DemoFlag {
  readonly flag: Readonly<Record<string, unknown>>;
  readonly targeting?: Readonly<Record<string, unknown>>;
  readonly isFinished?: boolean;
}

const ON_OFF = [
  { key: 'on', name: 'On', value: true },
  { key: 'off', name: 'Off', value: false },
];

export const DEMO_SEGMENT = {
  key: 'beta-testers',
  name: 'Beta testers',
  description: 'Colleagues and volunteers who see features early.',
  conditions: [{ attribute: 'email', operator: 'contains', value: '@example.com' }],
};

export const DEMO_FLAGS: readonly DemoFlag[] = [
  {
    flag: {
      key: 'dark-mode',
      name: 'Dark mode',
      description: 'The quickstart toggles this flag while it watches for changes.',
      flag_type: 'boolean',
      variations: ON_OFF,
      default_variation: 'on',
      client_side: true,
      tags: ['demo'],
      classification: 'release',
    },
    targeting: {
      targeting_rules: [{ priority: 1, name: 'Everyone', conditions: [], variation: 'on' }],
      default_variation: 'off',
    },
    isFinished: true,
  },
  {
    flag: {
      key: 'new-checkout',
      name: 'New checkout',
      flag_type: 'boolean',
      variations: ON_OFF,
      default_variation: 'off',
      client_side: true,
      tags: ['demo'],
      classification: 'release',
    },
    targeting: {
      targeting_rules: [
        {
          priority: 1,
          name: 'Beta testers',
          conditions: [{ attribute: '$segment', operator: 'one_of', value: ['beta-testers'] }],
          variation: 'on',
        },
        {
          priority: 2,
          name: 'Old apps do not support it',
          conditions: [{ attribute: 'app_version', operator: 'version_lt', value: '2.1.0' }],
          variation: 'off',
        },
        {
          priority: 3,
          name: 'A quarter of everyone else',
          conditions: [],
          percentage_rollout: [
            { variation: 'on', percentage: 25 },
            { variation: 'off', percentage: 75 },
          ],
        },
      ],
    },
  },
  {
    flag: {
      key: 'express-pay',
      name: 'Express pay',
      description: 'Needs the new checkout.',
      flag_type: 'boolean',
      variations: ON_OFF,
      default_variation: 'off',
      tags: ['demo'],
    },
    targeting: {
      prerequisites: [{ flag_key: 'new-checkout', variation: 'on' }],
      targeting_rules: [
        {
          priority: 1,
          name: 'Outside the United States',
          conditions: [{ attribute: 'country', operator: 'is_not', value: 'US' }],
          variation: 'on',
        },
      ],
    },
  },
  {
    flag: {
      key: 'welcome-text',
      name: 'Welcome text',
      flag_type: 'string',
      variations: [
        { key: 'plain', name: 'Plain', value: 'Welcome' },
        { key: 'dutch', name: 'Dutch', value: 'Welkom' },
        { key: 'vip', name: 'For customers with an account manager', value: 'Good to see you again' },
      ],
      default_variation: 'plain',
      client_side: true,
      tags: ['demo'],
    },
    targeting: {
      targeting_rules: [
        {
          priority: 1,
          name: 'Enterprise',
          conditions: [{ attribute: 'plan', operator: 'is', value: 'enterprise' }],
          variation: 'vip',
        },
        {
          priority: 2,
          name: 'Dutch speakers',
          conditions: [{ attribute: 'locale', operator: 'matches_regex', value: '^nl(-|$)' }],
          variation: 'dutch',
        },
      ],
    },
    isFinished: true,
  },
  {
    flag: {
      key: 'max-upload-mb',
      name: 'Maximum upload size in megabytes',
      flag_type: 'number',
      variations: [
        { key: 'small', name: 'Small', value: 10 },
        { key: 'large', name: 'Large', value: 250 },
        { key: 'huge', name: 'Huge', value: 2000 },
      ],
      default_variation: 'small',
      tags: ['demo'],
      classification: 'permission',
    },
    targeting: {
      targeting_rules: [
        {
          priority: 1,
          name: 'Large teams',
          conditions: [{ attribute: 'seats', operator: 'gt', value: 100 }],
          variation: 'huge',
        },
        {
          priority: 2,
          name: 'Paying customers',
          conditions: [{ attribute: 'plan', operator: 'one_of', value: ['pro', 'enterprise'] }],
          variation: 'large',
        },
      ],
    },
    isFinished: true,
  },
  {
    flag: {
      key: 'search-settings',
      name: 'Search settings',
      flag_type: 'json',
      variations: [
        { key: 'classic', name: 'Classic', value: { engine: 'classic', results: 10 } },
        { key: 'semantic', name: 'Semantic', value: { engine: 'semantic', results: 25 } },
      ],
      default_variation: 'classic',
      tags: ['demo'],
      classification: 'experiment',
    },
    targeting: {
      targeting_rules: [
        {
          priority: 1,
          name: 'Half of all users, bucketed independently of other flags',
          conditions: [{ attribute: 'plan', operator: 'not_one_of', value: ['enterprise'] }],
          bucketing: 2,
          percentage_rollout: [
            { variation: 'semantic', percentage: 50 },
            { variation: 'classic', percentage: 50 },
          ],
        },
      ],
    },
  },
];
