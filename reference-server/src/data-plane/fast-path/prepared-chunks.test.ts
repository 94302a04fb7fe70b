import { type Context, createEvaluator, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChunkedEvaluator } from './chunked-evaluator.ts';
import { createFastPath } from './fast-path.ts';
import { startPieces } from './pieces.ts';
import { type PreparedChunks, prepareChunks } from './prepared-chunks.ts';

const NOW = '2026-11-20T10:00:00.000Z';

function flag(number: number, changes: Partial<Flag> = {}): Flag {
  return {
    key: `flag-${String(number).padStart(4, '0')}`,
    flag_type: 'boolean',
    enabled: true,
    variations: [
      { key: 'on', value: true },
      { key: 'off', value: false },
    ],
    default_variation: 'off',
    targeting_rules: [
      {
        id: `rule_${number}`,
        priority: 1,
        conditions: [{ attribute: 'plan', operator: 'is', value: number % 2 === 0 ? 'pro' : 'free' }],
        variation: 'on',
      },
    ],
    ...changes,
  };
}

/** Like `Array.prototype.splice`, but returns a new list. */
function spliced(flags: readonly Flag[], start: number, deleted: number, ...added: Flag[]): Flag[] {
  return [...flags.slice(0, start), ...added, ...flags.slice(start + deleted)];
}

function rulesetOf(flags: readonly Flag[], changes: Partial<Ruleset> = {}): Ruleset {
  return { version: 1, environment_id: 'env_1', flags, segments: [], fetched_at: NOW, ...changes };
}

const { prepare } = createFastPath();
const chunksOf = (flags: readonly Flag[], previous?: PreparedChunks) =>
  prepareChunks(rulesetOf(flags), { previous });

const many = (count: number): Flag[] => Array.from({ length: count }, (_, number) => flag(number));

test('puts every flag into exactly one chunk, in order', async () => {
  for (const count of [0, 1, 31, 32, 33, 129, 1_000]) {
    const flags = many(count);
    const { list, chunkOf } = await chunksOf(flags);
    expect(list.flatMap((chunk) => chunk.flags)).toEqual(flags);
    for (const one of flags) expect(chunkOf(one.key).flags).toContain(one);
    expect(chunkOf('')).toBe(list[0]);
    expect(chunkOf('zzz')).toBe(list.at(-1));
  }
  expect((await chunksOf(many(1_000))).list.length).toBeGreaterThan(8);
});

test('prepares only the chunk in which a flag changed, was added or was removed', async () => {
  const flags = many(1_000);
  const before = await chunksOf(flags);
  const countNew = async (changed: readonly Flag[]) => {
    const { list } = await chunksOf(changed, before);
    return list.filter((chunk) => !before.list.includes(chunk)).length;
  };
  expect(await countNew(flags)).toBe(0);
  expect(await countNew(spliced(flags, 500, 1, flag(500, { enabled: false })))).toBe(1);
  expect(await countNew(spliced(flags, 500, 1))).toBeLessThanOrEqual(4);
  expect(await countNew(spliced(flags, 500, 0, flag(499, { key: 'flag-0499-b' })))).toBeLessThanOrEqual(4);
});

test('prepares a chunk again when a prerequisite in another chunk changes', async () => {
  const needing = { prerequisites: [{ flag_key: 'flag-0000', variation: 'on' }] };
  const flags = many(300).map((one, number) => (number % 100 === 99 ? flag(number, needing) : one));
  const before = await chunksOf(flags);
  const after = await chunksOf(spliced(flags, 0, 1, flag(0, { enabled: false })), before);
  const evaluator = createChunkedEvaluator(after);
  expect(evaluator.evaluate('flag-0299', { attributes: { plan: 'free' } }).reason).toBe('PREREQUISITE');
});

test('prepares a chunk again when a missing prerequisite of its flags is added', async () => {
  const dependent = flag(990, { prerequisites: [{ flag_key: 'flag-0000', variation: 'on' }] });
  const flags = spliced(many(1_000), 990, 1, dependent);
  const without = await chunksOf(flags.slice(1), await chunksOf(flags));
  const isServed = (chunks: PreparedChunks) =>
    createChunkedEvaluator(chunks).evaluate(dependent.key, { attributes: { plan: 'pro' } }).reason !==
    'PREREQUISITE';
  expect(isServed(without)).toBe(false);
  expect(isServed(await chunksOf(flags, without))).toBe(true);
});

test('divides the same flags in the same way, whatever the previous version was', async () => {
  const sizes = ({ list }: PreparedChunks) => list.map((chunk) => chunk.flags.length);
  const flags = many(1_000);
  const before = await chunksOf(flags);
  let start = 0;
  for (const chunk of before.list) {
    const without = spliced(flags, start, 1);
    const after = await chunksOf(without, before);
    expect(sizes(after)).toEqual(sizes(await chunksOf(without)));
    expect(sizes(await chunksOf(flags, after))).toEqual(sizes(before));
    start += chunk.flags.length;
  }
});

test('prepares answers for all flags in advance with forAllFlags', async () => {
  let prepared = 0;
  const condition = {
    attribute: 'plan',
    value: 'pro',
    get operator() {
      prepared += 1;
      return 'is' as const;
    },
  };
  const rule = { id: 'r', priority: 1, conditions: [condition], variation: 'on' };
  const ruleset = rulesetOf([flag(0, { targeting_rules: [rule] })]);
  const { list } = await prepareChunks(ruleset, { forAllFlags: true });
  const before = prepared;
  const pieces = { ...startPieces(), mayCache: false };
  list[0]!.answers.addAll({ attributes: { plan: 'pro' } }, pieces);
  expect([prepared - before, pieces.count]).toEqual([0, 1]);
});

test('prepares everything again when a segment has changed', async () => {
  const dependent = flag(0, {
    targeting_rules: [
      {
        id: 'r',
        priority: 1,
        conditions: [{ attribute: '$segment', operator: 'one_of', value: ['s'] }],
        variation: 'on',
      },
    ],
  });
  const segment = (value: string) => ({
    segments: [
      { id: 'seg_1', key: 's', conditions: [{ attribute: 'plan', operator: 'is' as const, value }] },
    ],
  });
  const before = await prepare(rulesetOf([dependent], segment('pro')), 'e');
  const after = await prepare(rulesetOf([dependent], segment('free')), 'e', before);
  const isOn = (plan: string) => after.evaluator.evaluate('flag-0000', { attributes: { plan } }).value;
  expect([isOn('pro'), isOn('free')]).toEqual([false, true]);
  // Answers for all flags reflect the change too, even when both versions give answers in turn.
  const writtenBy = ({ evaluate }: typeof after) => {
    const { body } = evaluate('*', { attributes: { plan: 'pro' } }, NOW);
    return JSON.parse(Buffer.from(body).toString()).data.evaluations['flag-0000'].value;
  };
  for (let times = 0; times < 2; times++) expect([before, after].map(writtenBy)).toEqual([true, false]);
});

/** The state of a flag; `needs` is the number of another flag, near or far. */
const states = fc.record({
  enabled: fc.boolean(),
  ruled: fc.boolean(),
  needs: fc.option(fc.nat(299), { nil: undefined }),
});
const toFlag = (
  number: number,
  { enabled, ruled, needs }: { enabled: boolean; ruled: boolean; needs?: number },
) =>
  flag(number, {
    enabled,
    ...(!ruled && { targeting_rules: [] }),
    ...(needs !== undefined && {
      prerequisites: [{ flag_key: flag(needs).key, variation: needs % 3 === 0 ? 'on' : 'off' }],
    }),
  });

test('decides, explains and writes like one evaluator of the whole ruleset, after any changes', async () => {
  const changes = fc.array(fc.tuple(fc.nat(299), fc.option(states)), { minLength: 1, maxLength: 5 });
  const histories = fc.tuple(
    fc.array(states, { minLength: 300, maxLength: 300 }),
    fc.array(changes, { maxLength: 3 }),
  );
  const contexts: Context[] = [{}, { attributes: { plan: 'pro' } }, { attributes: { plan: 'free' } }];
  await fc.assert(
    fc.asyncProperty(histories, async ([first, history]) => {
      let flags = new Map(first.map((state, number) => [number, toFlag(number, state as never)]));
      let made: Awaited<ReturnType<typeof prepare>> | undefined;
      for (const step of [[], ...history]) {
        flags = new Map(flags);
        for (const [number, state] of step) {
          if (state === null) flags.delete(number);
          else flags.set(number, toFlag(number, state as never));
        }
        const ruleset = rulesetOf([...flags].sort(([a], [b]) => a - b).map(([, one]) => one));
        made = await prepare(ruleset, 'e', made);
        const whole = createEvaluator(ruleset);
        for (const context of contexts) {
          const all = { ...whole.evaluateAll(context) };
          expect({ ...made.evaluator.evaluateAll(context) }).toEqual(all);
          const { body } = made.evaluate('*', context, NOW);
          expect(JSON.parse(Buffer.from(body).toString()).data.evaluations).toEqual(all);
          for (const number of [0, 150, 299]) {
            const { key } = flag(number);
            expect(made.evaluator.explain(key, context)).toEqual(whole.explain(key, context));
          }
        }
        // Reusing the previous version changes nothing.
        const fresh = await prepare(ruleset, 'e');
        expect(made.etag).toBe(fresh.etag);
        expect(await made.body('json', 'identity')).toEqual(await fresh.body('json', 'identity'));
      }
    }),
    { numRuns: 25 },
  );
});
