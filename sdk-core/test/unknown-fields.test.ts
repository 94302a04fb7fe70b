import { expect, test } from 'vitest';
import { createEvaluator, type Flag, parseRuleset, type Segment } from '../src/index.ts';
import { createTestFlag, createTestRuleset } from '../src/testing.ts';

test('accepts a segment with a field that only flags have', () => {
  const testers: Segment & Pick<Flag, 'variations'> = {
    id: 'seg_1',
    key: 'testers',
    conditions: [{ attribute: 'plan', operator: 'is', value: 'pro' }],
    variations: [],
  };
  const isTester = { attribute: '$segment', operator: 'is', value: 'testers' } as const;
  const targeting_rules = [{ id: 'r', priority: 1, conditions: [isTester], variation: 'on' }];
  const flags = [createTestFlag('f', false, { targeting_rules })];
  const given = { ...createTestRuleset(flags), segments: [testers] };
  const { ruleset, faults } = parseRuleset(given);
  expect(faults).toEqual([]);
  expect(ruleset?.segments).toEqual([testers]);
  const { reason } = createEvaluator(given).evaluate('f', { user_key: 'u', attributes: { plan: 'pro' } });
  expect(reason).toBe('TARGETING_RULE');
});
