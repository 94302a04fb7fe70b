import type { Context, Flag, Ruleset } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { FLAG_WORK_MAX, REQUEST_WORK_MAX } from '../../../../data-plane/evaluate/pattern-work.ts';
import { createMeasure } from './preview-change.ts';

/** A flag with a pattern of so many states. */
function flag(key: string, states: number, ...prerequisites: string[]): Flag {
  const condition = { attribute: 'note', operator: 'matches_regex', value: `a{${states}}` } as const;
  return {
    key,
    flag_type: 'boolean',
    enabled: true,
    variations: [{ key: 'on', value: true }],
    default_variation: 'on',
    targeting_rules: [{ id: 'rule', priority: 1, conditions: [condition], variation: 'on' }],
    prerequisites: prerequisites.map((flag_key) => ({ flag_key, variation: 'on' })),
  };
}

const rulesetOf = (...flags: Flag[]): Ruleset => ({
  version: 1,
  environment_id: 'env_1',
  flags,
  segments: [],
  fetched_at: '',
});
const contextOf = (length: number): Context => ({
  user_key: 'u',
  attributes: { note: 'x'.repeat(length - 1) },
});

const dependents = ['b', 'c'];
const measure = createMeasure({
  flagKey: 'a',
  dependents,
  before: rulesetOf(flag('a', 100), flag('b', 200, 'a'), flag('c', 200, 'a')),
  after: rulesetOf(flag('a', 200), flag('b', 200, 'a'), flag('c', 200, 'a')),
});

test('adds the work of the flag and its dependents, each with its prerequisites, before and after', () => {
  expect(measure(contextOf(1_000), 5)).toBe(5 + 700_000 + 1_000_000);
});

test('limits the work of each flag, not of the flags of one ruleset together', () => {
  expect(measure(contextOf(1_750), 0)).toBe(1_750 * 1_700);
  expect(measure(contextOf(1_751), 0)).toMatchObject({ flagKey: 'b', work: 700_400, maximum: FLAG_WORK_MAX });
});

test('limits the work of all contexts together', () => {
  const before = REQUEST_WORK_MAX - 1_700_000;
  expect(measure(contextOf(1_000), before)).toBe(REQUEST_WORK_MAX);
  expect(measure(contextOf(1_000), before + 1)).toMatchObject({
    work: REQUEST_WORK_MAX + 1,
    maximum: REQUEST_WORK_MAX,
  });
});
