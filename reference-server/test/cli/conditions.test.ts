import { expect, test } from 'vitest';
import type { Condition } from '../../src/cli/input/condition-values.ts';
import { parseCondition } from '../../src/cli/input/conditions.ts';
import { conditionWords } from '../../src/cli/output/condition-words.ts';

const VALUES = [
  'CH',
  '42',
  'true',
  'pro team',
  'a,b',
  '"quoted"',
  '[x',
  '',
  ' ',
  'ü',
  "it's",
  42,
  1.5,
  true,
  false,
];
const ONE_VALUE = ['is', 'is_not', 'contains', 'not_contains', 'gt', 'version_lt', 'matches_regex'] as const;
const ATTRIBUTES = ['country', 'app version', 'plan.name'];

test('shows each condition as people can type it', () => {
  const conditions: Condition[] = ATTRIBUTES.flatMap((attribute) => [
    ...ONE_VALUE.flatMap((operator) =>
      VALUES.filter((value) => typeof value === 'string' || operator === 'is' || operator === 'gt').map(
        (value) => ({ attribute, operator, value }),
      ),
    ),
    ...VALUES.flatMap((value) => [
      { attribute, operator: 'one_of' as const, value: [value] },
      { attribute, operator: 'not_one_of' as const, value: [value, 'pro'] as string[] },
    ]),
  ]);
  expect(conditions.length).toBeGreaterThan(200);
  for (const condition of conditions) {
    const words = conditionWords(condition);
    expect({ words, condition: parseCondition(words) }).toEqual({ words, condition });
  }
});

test('names segments in words, which can be typed too', () => {
  const inside: Condition = { attribute: '$segment', operator: 'one_of', value: ['beta', 'staff'] };
  const outside: Condition = { attribute: '$segment', operator: 'not_one_of', value: ['beta', 'staff'] };
  expect([conditionWords(inside), conditionWords(outside)]).toEqual([
    'in segment beta or staff',
    'not in segment beta nor staff',
  ]);
  expect([inside, outside].map((one) => parseCondition(conditionWords(one)))).toEqual([inside, outside]);
});
