import { createEvaluator, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import type { Steps } from '../evaluate/heavy-work.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { createPages } from './prepared-chunks.ts';

const AT = '2026-11-20T10:00:00.000Z';

function flag(key: string, changes: Partial<Flag> = {}): Flag {
  return {
    key,
    flag_type: 'string',
    enabled: true,
    variations: [
      { key: 'on', value: 'ön 😀' },
      { key: 'off', value: 'off' },
    ],
    default_variation: 'off',
    targeting_rules: [],
    ...changes,
  };
}

const targeting_rules = [
  {
    id: 'rule_1',
    priority: 1,
    conditions: [{ attribute: 'plan', operator: 'is' as const, value: 'pro' }],
    variation: 'on',
  },
];

function resultOf<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

async function writer(...flags: Flag[]) {
  const ruleset: Ruleset = { version: 1, environment_id: 'env_1', flags, segments: [], fetched_at: AT };
  const evaluator = createEvaluator(ruleset);
  const { evaluate: write, evaluateInSteps } = createAnswerWriter(await createPages(ruleset));
  const allocated: Buffer[] = [];
  return {
    evaluator,
    write,
    allocated,
    all(plan: string) {
      const context = { user_key: 'u', attributes: { plan } };
      const bytes = write('*', context, AT, (size) => {
        const buffer = Buffer.alloc(size + 50, 'x');
        allocated.push(buffer);
        return buffer;
      });
      const { data } = JSON.parse(Buffer.from(bytes).toString()) as {
        data: { evaluated_at: string; evaluations: object };
      };
      expect(data.evaluated_at).toBe(AT);
      expect(data.evaluations).toEqual({ ...evaluator.evaluateAll(context) });
      const steps = evaluateInSteps('*', context, AT, (size) => Buffer.alloc(size));
      expect(JSON.parse(Buffer.from(resultOf(steps)).toString())).toEqual({ data });
      return data.evaluations;
    },
  };
}

test('writes what the evaluator says, whichever flags serve everybody the same', async () => {
  const kinds = [
    flag('a-plain'),
    flag('b-off', { enabled: false, targeting_rules }),
    flag('c-ruled', { targeting_rules }),
    flag('d-needs', { targeting_rules, prerequisites: [{ flag_key: 'c-ruled', variation: 'on' }] }),
    flag('e-needs-plain', { prerequisites: [{ flag_key: 'a-plain', variation: 'off' }] }),
    flag('f-needs-off', { prerequisites: [{ flag_key: 'b-off', variation: 'off' }] }),
    flag('__proto__'),
  ];
  // Every subset, so that each kind also comes first, last and alone.
  for (let chosen = 0; chosen < 2 ** kinds.length; chosen++) {
    const { all } = await writer(...kinds.filter((_, index) => (chosen >> index) & 1));
    for (const plan of ['pro', 'free', 'pro']) all(plan);
  }
});

test('leaves a broken flag out', async () => {
  const broken = { ...flag('broken'), default_variation: 7 } as unknown as Flag;
  const conditions = [{ attribute: 'plan', operator: 7, value: 'pro' }] as never;
  const ruled = flag('ruled', { targeting_rules: [{ ...targeting_rules[0]!, conditions }] });
  const { all } = await writer(broken, flag('sound', { targeting_rules }), ruled);
  for (const plan of ['pro', 'pro', 'free']) expect(Object.keys(all(plan))).toEqual(['sound']);
});

test('asks for as much room as it fills', async () => {
  const { all, allocated } = await writer(flag('a'), flag('b', { targeting_rules }));
  all('pro');
  const text = allocated[0]!.toString();
  expect(text.length - text.replace(/x+$/, '').length).toBe(50);
});

test('names the flags whose exposures should be reported, if there are any', async () => {
  const answerOf = async (...flags: Flag[]) => {
    const bytes = (await writer(...flags)).write('*', {}, AT, (size) => Buffer.alloc(size));
    return JSON.parse(Buffer.from(bytes).toString()).data;
  };
  expect(await answerOf(flag('a'))).not.toHaveProperty('track_exposures');
  const tracked = await answerOf(
    flag('schlüssel', { track_exposures: true }),
    flag('b', { targeting_rules }),
  );
  expect(tracked.track_exposures).toEqual(['schlüssel']);
  expect(Object.keys(tracked.evaluations)).toEqual(['schlüssel', 'b']);
});

test('writes the same in steps, however much patterns have to read', async () => {
  const reads = (value: string) => [
    {
      ...targeting_rules[0]!,
      conditions: [{ attribute: 'plan', operator: 'matches_regex' as const, value }],
    },
  ];
  const kinds = [
    flag('a-plain'),
    flag('b-reads', { targeting_rules: reads('x{40}$') }),
    flag('c-reads', { targeting_rules: reads('^y') }),
    flag('d-needs', {
      targeting_rules: reads('x'),
      prerequisites: [{ flag_key: 'b-reads', variation: 'on' }],
    }),
    { ...flag('e-broken'), default_variation: 7 } as unknown as Flag,
  ];
  const { all } = await writer(...kinds);
  // By cases, each flag once, and flag by flag; twice, since what was written is kept.
  for (const length of [10, 1_000, 5_000, 20_000, 20_000]) {
    expect(Object.keys(all('x'.repeat(length)))).toHaveLength(4);
    all('y'.repeat(length));
  }
});
