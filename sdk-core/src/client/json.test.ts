import { expect, test } from 'vitest';
import { createEvaluator } from '../index.ts';
import { createTestFlag, createTestRuleset } from '../testing.ts';
import { changedFlags } from './changed-flags.ts';
import { toJson } from './json.ts';

/** Runs `work` with a `toJSON` on a prototype. Synchronous, so that no other code sees the patch. */
const withToJson = <T>(prototype: object, toJSON: () => unknown, work: () => T): T => {
  const before = Object.getOwnPropertyDescriptor(prototype, 'toJSON');
  Object.defineProperty(prototype, 'toJSON', { value: toJSON, configurable: true, writable: true });
  try {
    return work();
  } finally {
    if (before) Object.defineProperty(prototype, 'toJSON', before);
    else delete (prototype as { toJSON?: unknown }).toJSON;
  }
};
const PROTOTYPES = [Array, Object, Date, String, Number].map(
  ({ name, prototype }) => [name, prototype as object] as const,
);

class Money {
  readonly cents = 5;
  toJSON() {
    return `${this.cents} cents`;
  }
}
const value = {
  list: [1, 'a', null, undefined, [{ deep: [] }], () => 1],
  gone: undefined,
  nested: Object.assign(Object.create(null), { of: { date: new Date(5), never: new Date(Number.NaN) } }),
  money: new Money(),
  map: new Map([[1, 2]]),
  ['__proto__']: { own: [1] },
};
const EXPECTED = JSON.stringify(value);

test.each(PROTOTYPES)(
  'writes the same JSON as without patches if %s.prototype has a toJSON',
  (_, prototype) => {
    expect(
      withToJson(
        prototype,
        () => 'patched',
        () => toJson(value),
      ),
    ).toBe(EXPECTED);
  },
);

test.each(PROTOTYPES)(
  'serves values and emits changes correctly if %s.prototype has a toJSON',
  (_, prototype) => {
    const rulesetOf = (part: number) => ({
      ...createTestRuleset({ a: 1 }),
      flags: [createTestFlag('a', 1), createTestFlag('b', [{ part: [part] }])],
    });
    const [served, changed, unchanged] = withToJson(
      prototype,
      () => 'patched',
      () => [
        createEvaluator(rulesetOf(1)).evaluate('b', {}).value,
        changedFlags(rulesetOf(1), rulesetOf(2)),
        changedFlags(rulesetOf(1), rulesetOf(1)),
      ],
    );
    expect([served, changed, unchanged]).toEqual([[{ part: [1] }], ['b'], []]);
  },
);

test('throws the errors of JSON.stringify', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(() => toJson(cycle)).toThrow(TypeError);
  expect(() => toJson(1n)).toThrow(TypeError);
});
