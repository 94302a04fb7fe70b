import { type Context, createEvaluator, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPublishedRuleset } from './fast-ruleset.ts';
import { beginPieces } from './flag-members.ts';
import { createPagedEvaluator, createPages, type Pages } from './prepared-chunks.ts';

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

/** The list with others at a place, in so many places' stead. */
function spliced(flags: readonly Flag[], place: number, instead: number, ...others: Flag[]): Flag[] {
  return [...flags.slice(0, place), ...others, ...flags.slice(place + instead)];
}

function rulesetOf(flags: readonly Flag[], changes: Partial<Ruleset> = {}): Ruleset {
  return { version: 1, environment_id: 'env_1', flags, segments: [], fetched_at: NOW, ...changes };
}

const pagesOf = (flags: readonly Flag[], previous?: Pages) => createPages(rulesetOf(flags), { previous });

const many = (count: number): Flag[] => Array.from({ length: count }, (_, number) => flag(number));

test('gives every flag to one page, in order', async () => {
  for (const count of [0, 1, 31, 32, 33, 129, 1_000]) {
    const flags = many(count);
    const { list, of } = await pagesOf(flags);
    expect(list.flatMap((page) => page.flags)).toEqual(flags);
    for (const one of flags) expect(of(one.key).flags).toContain(one);
    expect(of('')).toBe(list[0]);
    expect(of('zzz')).toBe(list.at(-1));
  }
  expect((await pagesOf(many(1_000))).list.length).toBeGreaterThan(8);
});

test('makes only the page anew in which a flag has changed, was added or is gone', async () => {
  const flags = many(1_000);
  const before = await pagesOf(flags);
  const newOnes = async (changed: readonly Flag[]) => {
    const { list } = await pagesOf(changed, before);
    return list.filter((page) => !before.list.includes(page)).length;
  };
  expect(await newOnes(flags)).toBe(0);
  expect(await newOnes(spliced(flags, 500, 1, flag(500, { enabled: false })))).toBe(1);
  expect(await newOnes(spliced(flags, 500, 1))).toBeLessThanOrEqual(4);
  expect(await newOnes(spliced(flags, 500, 0, flag(499, { key: 'flag-0499-b' })))).toBeLessThanOrEqual(4);
});

test('makes pages anew whose flags need a changed one of another page', async () => {
  const needing = { prerequisites: [{ flag_key: 'flag-0000', variation: 'on' }] };
  const flags = many(300).map((one, number) => (number % 100 === 99 ? flag(number, needing) : one));
  const before = await pagesOf(flags);
  const after = await pagesOf(spliced(flags, 0, 1, flag(0, { enabled: false })), before);
  const evaluator = createPagedEvaluator(after);
  expect(evaluator.evaluate('flag-0299', { attributes: { plan: 'free' } }).reason).toBe('PREREQUISITE');
});

test('makes a page anew when a flag comes for which one of its flags had asked', async () => {
  const asking = flag(990, { prerequisites: [{ flag_key: 'flag-0000', variation: 'on' }] });
  const flags = spliced(many(1_000), 990, 1, asking);
  const without = await pagesOf(flags.slice(1), await pagesOf(flags));
  const isServed = (pages: Pages) =>
    createPagedEvaluator(pages).evaluate(asking.key, { attributes: { plan: 'pro' } }).reason !==
    'PREREQUISITE';
  expect(isServed(without)).toBe(false);
  expect(isServed(await pagesOf(flags, without))).toBe(true);
});

test('cuts the same flags at the same places, whatever was before', async () => {
  const cuts = ({ list }: Pages) => list.map((page) => page.flags.length);
  const flags = many(1_000);
  const before = await pagesOf(flags);
  let start = 0;
  for (const page of before.list) {
    const without = spliced(flags, start, 1);
    const after = await pagesOf(without, before);
    expect(cuts(after)).toEqual(cuts(await pagesOf(without)));
    expect(cuts(await pagesOf(flags, after))).toEqual(cuts(before));
    start += page.flags.length;
  }
});

test('prepares what an answer for all flags needs before anybody waits for it, where that is wanted', async () => {
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
  const pages = await createPages(rulesetOf([flag(0, { targeting_rules: [rule] })]), { isReadyForAll: true });
  const before = prepared;
  const pieces = { ...beginPieces(), mayKeep: false };
  pages.list[0]!.answers.addAll({ attributes: { plan: 'pro' } }, pieces);
  expect([prepared - before, pieces.count]).toEqual([0, 1]);
});

test('makes everything anew when a segment has changed', async () => {
  const asking = flag(0, {
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
  const before = await createPublishedRuleset(rulesetOf([asking], segment('pro')), 'e');
  const after = await createPublishedRuleset(rulesetOf([asking], segment('free')), 'e', before);
  const isOn = (plan: string) => after.evaluator.evaluate('flag-0000', { attributes: { plan } }).value;
  expect([isOn('pro'), isOn('free')]).toEqual([false, true]);
  // Also where the version before has answered for all flags.
  const writtenBy = ({ evaluate }: typeof after) => {
    const bytes = evaluate('*', { attributes: { plan: 'pro' } }, NOW, (size) => Buffer.alloc(size));
    return JSON.parse(Buffer.from(bytes).toString()).data.evaluations['flag-0000'].value;
  };
  for (let times = 0; times < 2; times++) expect([before, after].map(writtenBy)).toEqual([true, false]);
});

/** A flag's state by its number; whom it asks for is one of the others, near or far. */
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

test('decides, explains and writes as one evaluator of everything does, through any changes', async () => {
  const changes = fc.array(fc.tuple(fc.nat(299), fc.option(states)), { minLength: 1, maxLength: 5 });
  const histories = fc.tuple(
    fc.array(states, { minLength: 300, maxLength: 300 }),
    fc.array(changes, { maxLength: 3 }),
  );
  const contexts: Context[] = [{}, { attributes: { plan: 'pro' } }, { attributes: { plan: 'free' } }];
  await fc.assert(
    fc.asyncProperty(histories, async ([first, history]) => {
      let flags = new Map(first.map((state, number) => [number, toFlag(number, state as never)]));
      let made: Awaited<ReturnType<typeof createPublishedRuleset>> | undefined;
      for (const step of [[], ...history]) {
        flags = new Map(flags);
        for (const [number, state] of step) {
          if (state === null) flags.delete(number);
          else flags.set(number, toFlag(number, state as never));
        }
        const ruleset = rulesetOf([...flags].sort(([a], [b]) => a - b).map(([, one]) => one));
        made = await createPublishedRuleset(ruleset, 'e', made);
        const whole = createEvaluator(ruleset);
        for (const context of contexts) {
          const all = { ...whole.evaluateAll(context) };
          expect({ ...made.evaluator.evaluateAll(context) }).toEqual(all);
          const bytes = made.evaluate('*', context, NOW, (size) => Buffer.alloc(size));
          expect(JSON.parse(Buffer.from(bytes).toString()).data.evaluations).toEqual(all);
          for (const number of [0, 150, 299]) {
            const { key } = flag(number);
            expect(made.evaluator.explain(key, context)).toEqual(whole.explain(key, context));
          }
        }
        // What was taken over from the version before must not show.
        const fresh = await createPublishedRuleset(ruleset, 'e');
        expect(made.etag).toBe(fresh.etag);
        expect(await made.body('json', 'identity')).toEqual(await fresh.body('json', 'identity'));
      }
    }),
    { numRuns: 25 },
  );
});
