import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Context,
  createEvaluator,
  OPERATORS,
  parseRuleset,
  REASONS,
  type Ruleset,
} from '../src/index.ts';
import { createRuleIndex } from '../src/rule-index.ts';

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'user_key',
  'plan',
  '$segment',
  '',
  'a.b',
];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.string());
const operator = fc.constantFrom(...OPERATORS, 'constructor', '');
/** An object that throws on every access while it is armed. Disarmed, it lets fast-check inspect it. */
const throwing = (isArmed: { now: boolean }): object => {
  const refuse = (): never => {
    throw new Error('touched');
  };
  const when =
    <T>(harmless: () => T) =>
    (): T =>
      isArmed.now ? refuse() : harmless();
  return new Proxy(
    {},
    {
      get: when(() => undefined),
      has: when(() => false),
      getOwnPropertyDescriptor: when(() => undefined),
      ownKeys: when(() => []),
    },
  );
};
const armed = { now: false };
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  maxDepth: 2,
});
const junk = fc.oneof(
  anything,
  fc.constantFrom<unknown>(null, undefined, Number.NaN, Infinity, -0, 2 ** 60, Symbol('s'), () => 1),
  fc.constant(0).map(() => throwing(armed)),
);
const mostly = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: junk });

const condition = mostly(
  fc.record(
    {
      attribute: mostly(name),
      operator: mostly(operator),
      value: mostly(fc.oneof(fc.string(), fc.double(), fc.array(fc.string()))),
    },
    { noNullPrototype: true },
  ),
);
const rollout = mostly(
  fc.array(
    fc.record({
      variation: mostly(fc.constantFrom('on', 'off', 'x')),
      percentage: mostly(fc.integer({ min: -10, max: 110 })),
    }),
  ),
);
const rule = mostly(
  fc.record(
    {
      id: mostly(fc.string()),
      priority: mostly(fc.double({ noNaN: true })),
      conditions: mostly(fc.array(condition, { maxLength: 3 })),
      variation: mostly(fc.constantFrom('on', 'off', 'x')),
      percentage_rollout: rollout,
      bucketing: fc.constantFrom<unknown>(1, 2, 3, null),
    },
    { requiredKeys: ['id', 'priority', 'conditions'] },
  ),
);
const flag = mostly(
  fc.record(
    {
      key: mostly(name),
      flag_type: mostly(fc.string()),
      enabled: mostly(fc.boolean()),
      variations: mostly(
        fc.constant([
          { key: 'on', value: { a: [1] } },
          { key: 'off', value: false },
        ]),
      ),
      default_variation: mostly(fc.constantFrom('on', 'off')),
      targeting_rules: mostly(fc.array(rule, { maxLength: 8 })),
      prerequisites: mostly(
        fc.array(fc.record({ flag_key: name, variation: fc.constantFrom('on', 'off') }), { maxLength: 2 }),
      ),
    },
    { requiredKeys: ['key', 'enabled', 'variations', 'default_variation'] },
  ),
);
const segment = mostly(
  fc.record({
    id: fc.string(),
    key: mostly(name),
    conditions: mostly(fc.array(condition, { maxLength: 2 })),
  }),
);
const ruleset = mostly(
  fc.record({
    version: mostly(fc.nat()),
    environment_id: mostly(fc.string()),
    flags: mostly(fc.array(flag, { maxLength: 6 })),
    segments: mostly(fc.array(segment, { maxLength: 3 })),
  }),
);
const context = mostly(
  fc.record(
    {
      user_key: mostly(fc.string()),
      attributes: mostly(
        fc.dictionary(
          name,
          mostly(fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.array(mostly(fc.string())))),
        ),
      ),
    },
    { requiredKeys: [] },
  ),
);

const CONTEXTS = 20;
/** The number of pairs of ruleset and context; `FLAGSVC_PAIRS` overrides it. */
const PAIRS = Number(process.env['FLAGSVC_PAIRS'] ?? 200_000);

function isResult(result: unknown): boolean {
  const { reason, rule_id, variation_key } = result as {
    reason: (typeof REASONS)[number];
    rule_id: unknown;
    variation_key: unknown;
  };
  return (
    REASONS.includes(reason) &&
    (rule_id === null || typeof rule_id === 'string') &&
    (variation_key === null || typeof variation_key === 'string') &&
    Object.isFrozen(result)
  );
}

test(`returns a result for each of ${PAIRS} hostile pairs of ruleset and context`, {
  timeout: 600_000,
}, () => {
  let pairs = 0;
  const input = fc.tuple(
    ruleset,
    fc.array(fc.tuple(context, fc.oneof(name, junk)), { minLength: CONTEXTS, maxLength: CONTEXTS }),
  );
  fc.assert(
    fc.property(input, ([rules, calls]) => {
      armed.now = true;
      try {
        const { ruleset: parsed, faults } = parseRuleset(rules);
        expect(Array.isArray(faults)).toBe(true);
        const plain = createEvaluator(rules as Ruleset);
        const indexed = createEvaluator((parsed ?? rules) as Ruleset, { createRuleIndex });
        for (const [someone, key] of calls) {
          pairs++;
          const result = plain.evaluate(key as string, someone as Context);
          if (!isResult(result)) throw new Error(`no result: ${String(result)}`);
          const all = indexed.evaluateAll(someone as Context);
          for (const flagKey of Object.keys(all))
            if (!isResult(all[flagKey])) throw new Error('evaluateAll: no result');
          if (!isResult(plain.explain(key as string, someone as Context).result))
            throw new Error('explain: no result');
        }
      } finally {
        armed.now = false;
      }
    }),
    { numRuns: Math.ceil(PAIRS / CONTEXTS) },
  );
  expect(pairs).toBeGreaterThanOrEqual(PAIRS);
});
