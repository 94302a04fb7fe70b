import { expect, test } from 'vitest';
import { createEvaluator, type Flag, type Ruleset } from '../src/index.ts';

const LENGTH = 20_000;

function chain(lastEnabled: boolean): Ruleset {
  const flags = Array.from(
    { length: LENGTH },
    (_, i): Flag => ({
      key: `flag-${i}`,
      flag_type: 'boolean',
      enabled: i < LENGTH - 1 || lastEnabled,
      variations: [
        { key: 'on', value: true },
        { key: 'off', value: false },
      ],
      default_variation: 'on',
      targeting_rules: [],
      ...(i < LENGTH - 1 && { prerequisites: [{ flag_key: `flag-${i + 1}`, variation: 'on' }] }),
    }),
  );
  return { version: 1, environment_id: 'env_1', flags, segments: [], fetched_at: '2026-01-01T00:00:00Z' };
}

test(`follows a chain of ${LENGTH} prerequisites`, () => {
  expect(createEvaluator(chain(true)).evaluate('flag-0', {}).reason).toBe('DEFAULT');
  expect(createEvaluator(chain(false)).evaluate('flag-0', {}).reason).toBe('PREREQUISITE');
});

test('evaluates a flag once per call, however many paths lead to it', () => {
  const { flags, ...rest } = chain(true);
  const layers = flags.slice(0, 60).map((flag, i) => ({
    ...flag,
    prerequisites: i < 58 ? [1, 2].map((step) => ({ flag_key: `flag-${i + step}`, variation: 'on' })) : [],
  }));
  expect(createEvaluator({ ...rest, flags: layers }).evaluate('flag-0', {}).reason).toBe('DEFAULT');
});

test('blocks every flag of a cycle, and every flag that leads to it', () => {
  const { flags, ...rest } = chain(true);
  const ring = flags.slice(0, 4).map((flag, i) => ({
    ...flag,
    prerequisites: [{ flag_key: `flag-${i === 3 ? 1 : i + 1}`, variation: 'on' }],
  }));
  const all = createEvaluator({ ...rest, flags: ring }).evaluateAll({});
  expect(Object.values(all).map(({ reason }) => reason)).toEqual(Array(4).fill('PREREQUISITE'));
});
