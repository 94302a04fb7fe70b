import { expect, test } from 'vitest';
import { usesOf } from './uses.ts';

const rule = (id: string, served: object) => ({ id, name: '', priority: 1, conditions: [], ...served });
const flags = [
  {
    environment_id: 'env_s',
    default_variation: 'off',
    targeting_rules: [
      rule('1', { variation: 'on' }),
      rule('2', { percentage_rollout: [{ variation: 'on', percentage: 0 }] }),
    ],
  },
  { environment_id: 'env_p', default_variation: 'on', targeting_rules: [] },
];
const dependents = [{ flag_key: 'cart', environment_id: 'env_p', variation: 'on' }];

test('a variation is used by defaults, by rules and splits, and by flags that need it', () => {
  expect(usesOf('on', flags, dependents)).toEqual([
    { kind: 'rules', environmentId: 'env_s', count: 2 },
    { kind: 'default', environmentId: 'env_p' },
    { kind: 'need', environmentId: 'env_p', flagKey: 'cart' },
  ]);
  expect(usesOf('off', flags, dependents)).toEqual([{ kind: 'default', environmentId: 'env_s' }]);
  expect(usesOf('third', flags, dependents)).toEqual([]);
});
