import { expect, test } from 'vitest';
import { growthBookCases, launchDarklyCases, unleashCases } from './fixtures.ts';
import { growthBookContext, launchDarklyContext, runCases, unleashContext } from './run-cases.ts';

/** Cases that compare an attribute with a value of another type: the one way to serve a rule to more users. */
const OTHER_TYPES = [
  ...['99 lessThan 100', '100 lessThanOrEqual 100', '101 greaterThan 100', '100 greaterThanOrEqual 100'].map(
    (title) => `operators-numeric.yml: ${title}`,
  ),
  ...['true', '99'].flatMap((value) =>
    ['startsWith', 'endsWith', 'contains', 'matches'].flatMap((operator) => [
      `operators-string.yml: ${value} ${operator} ${value}`,
      `operators-string.yml: [${value}] ${operator} ${value}`,
    ]),
  ),
];

test("serves what Unleash's client specification expects", () => {
  const { wrong, otherTypes, ...counts } = runCases(unleashCases(), 'unleash', unleashContext);
  expect([wrong, otherTypes]).toEqual([[], []]);
  expect(counts).toEqual({ equal: 227, leftOut: 3, narrower: 21, rollouts: 24 });
});

test("serves what GrowthBook's SDK cases expect", () => {
  const { wrong, otherTypes, ...counts } = runCases(growthBookCases(), 'growthbook', growthBookContext);
  expect([wrong, otherTypes]).toEqual([[], ['$inGroup fails for improperly typed data']]);
  expect(counts).toEqual({ equal: 234, leftOut: 8, narrower: 50, rollouts: 10 });
});

test("serves what LaunchDarkly's SDK test harness expects", () => {
  const { wrong, otherTypes, ...counts } = runCases(launchDarklyCases(), 'launchdarkly', launchDarklyContext);
  expect([wrong, otherTypes]).toEqual([[], OTHER_TYPES]);
  expect(counts).toEqual({ equal: 248, leftOut: 0, narrower: 9, rollouts: 0 });
});
