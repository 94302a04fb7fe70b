import { afterAll, expect, test } from 'vitest';
import { createGrowthBook, evaluateGrowthBook } from './growthbook.ts';
import { imported } from './imported.ts';
import { closeLaunchDarkly, loadLaunchDarkly } from './launchdarkly.ts';
import { createUnleash, evaluateUnleash } from './unleash.ts';

afterAll(closeLaunchDarkly);

const USERS = Array.from({ length: 4_000 }, (_, index) => `user-${index * 7}`);
/** Four standard deviations of a share of one half, for both sides. */
const TOLERANCE = 0.045;

/** The share of users for each value. */
async function sharesOf(serve: (user: string) => unknown): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const user of USERS) {
    const value = JSON.stringify(await serve(user));
    counts.set(value, (counts.get(value) ?? 0) + 1 / USERS.length);
  }
  return counts;
}

async function compareShares(
  key: string,
  ours: ReturnType<typeof imported>,
  theirs: (user: string) => unknown,
): Promise<void> {
  const [mine, other] = [
    await sharesOf(
      (user) => ours.evaluator.evaluate(key, { user_key: user, attributes: { country: 'ch' } }).value,
    ),
    await sharesOf(theirs),
  ];
  expect([...mine.keys()].sort()).toEqual([...other.keys()].sort());
  for (const [value, share] of other) {
    expect(
      Math.abs(share - mine.get(value)!),
      `${key} ${value}: ${share} and ${mine.get(value)}`,
    ).toBeLessThan(TOLERANCE);
  }
}

test('keeps the shares of rollouts of LaunchDarkly', async () => {
  const rollout = (...weights: number[]) => ({
    rollout: { variations: weights.map((weight, variation) => ({ variation, weight })) },
  });
  const shared = { on: true, offVariation: 0, variations: ['a', 'b', 'c'] };
  const flags = {
    two: { ...shared, fallthrough: rollout(20_000, 80_000) },
    three: { ...shared, fallthrough: rollout(10_000, 30_000, 60_000) },
    seeded: {
      ...shared,
      fallthrough: { rollout: { ...rollout(50_000, 50_000).rollout, kind: 'experiment', seed: 61 } },
    },
    rule: {
      ...shared,
      fallthrough: { variation: 2 },
      rules: [
        {
          id: 'r',
          clauses: [{ attribute: 'country', op: 'in', values: ['ch'] }],
          ...rollout(75_000, 25_000),
        },
      ],
    },
  };
  const ours = imported({ flags }, 'launchdarkly');
  const theirs = await loadLaunchDarkly({ flags });
  for (const key of Object.keys(flags)) {
    await compareShares(key, ours, (user) => theirs(key, { kind: 'user', key: user, country: 'ch' }));
  }
});

test('keeps the shares of rollouts and variants of Unleash', async () => {
  const rollout = (share: string, more: object = {}) => ({
    ...{
      name: 'flexibleRollout',
      parameters: { rollout: share, stickiness: 'default', groupId: 'g' },
      ...more,
    },
  });
  const variants = [
    { name: 'red', weight: 700, stickiness: 'default' },
    { name: 'blue', weight: 300, stickiness: 'default', payload: { type: 'string', value: 'x' } },
  ];
  const features = [
    { name: 'third', enabled: true, strategies: [rollout('33')] },
    { name: 'overlapping', enabled: true, strategies: [rollout('20'), rollout('60')] },
    { name: 'flag-variants', enabled: true, strategies: [rollout('100')], variants },
    { name: 'strategy-variants', enabled: true, strategies: [rollout('50', { variants })] },
  ];
  const document = { version: 2, features };
  const ours = imported(document, 'unleash');
  const client = createUnleash(document);
  for (const feature of features) {
    await compareShares(feature.name, ours, (userId) => evaluateUnleash(client, feature, { userId }));
  }
});

test('keeps the shares of rollouts and experiments of GrowthBook', async () => {
  const features = {
    rollout: { defaultValue: false, rules: [{ force: true, coverage: 0.25, hashAttribute: 'id' }] },
    inverse: { defaultValue: true, rules: [{ force: false, coverage: 0.25, hashAttribute: 'id' }] },
    experiment: {
      defaultValue: 'a',
      rules: [{ variations: ['a', 'b', 'c'], weights: [0.5, 0.3, 0.2], key: 'e' }],
    },
    covered: {
      defaultValue: 'a',
      rules: [{ variations: ['a', 'b'], coverage: 0.4, weights: [0.5, 0.5], key: 'e2' }],
    },
    namespace: {
      defaultValue: 0,
      rules: [{ variations: [1, 2], namespace: ['n', 0, 0.5], key: 'e3', hashVersion: 1 }],
    },
  };
  const ours = imported({ features }, 'growthbook');
  const client = createGrowthBook({ features });
  for (const key of Object.keys(features)) {
    await compareShares(key, ours, (id) => evaluateGrowthBook(client, key, { id }));
  }
});

test('rounds shares down, so that no variation but the default one gets more', () => {
  const flag = {
    ...{ on: true, offVariation: 0, variations: ['a', 'b', 'c'] },
    fallthrough: {
      rollout: {
        variations: [
          { variation: 1, weight: 500 },
          { variation: 2, weight: 33_900 },
          { variation: 0, weight: 65_600 },
        ],
      },
    },
  };
  const { document, losses } = imported({ flags: { f: flag } }, 'launchdarkly');
  expect(document.flags![0]!.environments!['env']!.targeting_rules![0]!.percentage_rollout).toEqual([
    { variation: 'b', percentage: 0 },
    { variation: 'c', percentage: 33 },
    { variation: 'a', percentage: 67 },
  ]);
  expect(losses.map(({ code }) => code)).toContain('shares-rounded');
});
