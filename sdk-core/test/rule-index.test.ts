import { expect, test, vi } from 'vitest';
import type { TargetingRule } from '../src/index.ts';
import { createRuleIndex } from '../src/rule-index.ts';

test('builds an index without compiling the patterns of its rules again', () => {
  const rules = Array.from(
    { length: 10 },
    (_, i): TargetingRule => ({
      id: `r${i}`,
      priority: i,
      conditions: [
        { attribute: 'plan', operator: 'is', value: `p${i}` },
        { attribute: 'email', operator: 'matches_regex', value: `^a{${i}}@` },
      ],
      variation: 'on',
    }),
  );
  // The parser of patterns reads its input with regular expressions.
  const exec = vi.spyOn(RegExp.prototype, 'exec');
  const index = createRuleIndex(rules, undefined);
  const calls = exec.mock.calls.length;
  exec.mockRestore();
  expect(index).toBeDefined();
  expect(calls).toBe(0);
});
