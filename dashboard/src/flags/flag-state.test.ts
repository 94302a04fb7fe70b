import { expect, test } from 'vitest';
import { stateWords } from './flag-state.tsx';
import type { EnvironmentState } from './use-flag-list.ts';

const words = (state: EnvironmentState['state'], more: Partial<EnvironmentState>) =>
  stateWords({
    state,
    default_variation: 'off',
    rules_count: 1,
    prerequisites_count: 0,
    rollout: [],
    ...more,
  } as EnvironmentState);
const rollout = (percentage: number) => [{ variation: 'on', percentage }];

test.each<[string, EnvironmentState['state'], Partial<EnvironmentState>]>([
  ['Off', 'off', { prerequisites_count: 2 }],
  ['On', 'on', {}],
  ['40%', 'share', { rollout: rollout(40) }],
  ['1 rule', 'rules', {}],
  ['3 rules, 2 needs', 'rules', { rules_count: 3, prerequisites_count: 2 }],
  ['40%, 1 need', 'rules', { prerequisites_count: 1, rollout: rollout(40) }],
  ['On, 1 need', 'rules', { prerequisites_count: 1, rollout: rollout(100) }],
])('the list says "%s"', (expected, state, more) => {
  expect(words(state, more).join(', ')).toBe(expected);
});
