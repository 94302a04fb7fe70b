import { createEvaluator, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import type { Steps } from '../evaluate/heavy-work.ts';
import type { EvaluateAnswer } from '../ports.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { createBufferPool } from './buffer-pool.ts';
import { prepareChunks } from './prepared-chunks.ts';

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

function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

async function writer(...flags: Flag[]) {
  const ruleset: Ruleset = { version: 1, environment_id: 'env_1', flags, segments: [], fetched_at: AT };
  const evaluator = createEvaluator(ruleset);
  const { write, writeInSteps } = createAnswerWriter(await prepareChunks(ruleset), createBufferPool());
  const parse = ({ body }: EvaluateAnswer) =>
    JSON.parse(Buffer.from(body).toString()).data as {
      evaluated_at: string;
      evaluations: object;
      track_exposures?: string[];
    };
  return {
    /** Writes and checks an answer with all flags for a user with this plan. */
    writeAll(plan: string) {
      const context = { user_key: 'u', attributes: { plan } };
      const data = parse(write('*', context, AT));
      expect(data.evaluated_at).toBe(AT);
      expect(data.evaluations).toEqual({ ...evaluator.evaluateAll(context) });
      expect(Object.keys(data.evaluations)).toEqual(Object.keys(evaluator.evaluateAll(context)));
      expect(parse(runSteps(writeInSteps('*', context, AT)))).toEqual(data);
      return data;
    },
  };
}

test('writes the results of the evaluator in its order, whichever flags are constant', async () => {
  const kinds = [
    flag('a-plain'),
    flag('b-off', { enabled: false, targeting_rules }),
    flag('c-ruled', { targeting_rules }),
    flag('d-needs', { targeting_rules, prerequisites: [{ flag_key: 'c-ruled', variation: 'on' }] }),
    flag('e-needs-plain', { prerequisites: [{ flag_key: 'a-plain', variation: 'off' }] }),
    flag('f-needs-off', { prerequisites: [{ flag_key: 'b-off', variation: 'off' }] }),
    flag('__proto__'),
  ];
  // Every subset, so that each kind comes first, last and alone as well.
  for (let chosen = 0; chosen < 2 ** kinds.length; chosen++) {
    const { writeAll } = await writer(...kinds.filter((_, index) => (chosen >> index) & 1));
    for (const plan of ['pro', 'free', 'pro']) writeAll(plan);
  }
});

test('leaves a broken flag out', async () => {
  const broken = { ...flag('broken'), default_variation: 7 } as unknown as Flag;
  const conditions = [{ attribute: 'plan', operator: 7, value: 'pro' }] as never;
  const ruled = flag('ruled', { targeting_rules: [{ ...targeting_rules[0]!, conditions }] });
  const { writeAll } = await writer(broken, flag('sound', { targeting_rules }), ruled);
  for (const plan of ['pro', 'pro', 'free']) {
    expect(Object.keys(writeAll(plan).evaluations)).toEqual(['sound']);
  }
});

test('lists the flags with track_exposures, if there are any', async () => {
  expect((await writer(flag('a'))).writeAll('pro')).not.toHaveProperty('track_exposures');
  const tracked = await writer(flag('schlüssel', { track_exposures: true }), flag('b', { targeting_rules }));
  expect(tracked.writeAll('pro').track_exposures).toEqual(['schlüssel']);
});

test('writes the same answer in steps as at once, for light and for heavy contexts', async () => {
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
  const { writeAll } = await writer(...kinds);
  // The lengths lead to each way of writing: cached, uncached and flag by flag. The second answer for a text of 20,000
  // characters copies what the first one cached.
  for (const length of [10, 1_000, 5_000, 20_000, 20_000]) {
    expect(Object.keys(writeAll('x'.repeat(length)).evaluations)).toHaveLength(4);
    writeAll('y'.repeat(length));
  }
});
