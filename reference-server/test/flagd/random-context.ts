import type { Context } from '@flagsvc/sdk-core';
import { ATTRIBUTES, type Dice } from './random-project.ts';

/** Values whose shape no operator expects. */
const ODD: readonly unknown[] = [
  ...[null, '', 0, -0, true, false, 'null', 'undefined', 'NaN', 2 ** 63, 1e-7, -5],
  ...[
    [],
    [null],
    [[]],
    [{}],
    {},
    { 0: 'x' },
    { length: 3 },
    { pro: true },
    [['pro']],
    [[5]],
    ['a', 5, null, true],
  ],
  ...['\ud83d', '🇩🇪', 'a,b', '[object Object]', 'constructor', '\u00a01.2.3', '-', '-5', '1e999'],
];

/** Names that rules do not use, or that have a meaning in flagd. */
const ODD_NAMES = [
  '$flagd',
  '$segment',
  'toString',
  'plan.name.first',
  '',
  'timestamp',
  'flagKey',
  'current',
];

function randomValue(dice: Dice, values: readonly unknown[]): unknown {
  const roll = dice.below(20);
  if (roll < 14) return dice.one(values);
  if (roll < 16) return dice.some([...values, null, ['pro'], {}], 3);
  return dice.one(ODD);
}

/** A context with values of any JSON shape. */
export function randomContext(dice: Dice): Context {
  const attributes: Record<string, unknown> = {};
  const put = (name: string, value: unknown): void => {
    // Assignment would set the prototype for the name `__proto__`.
    Object.defineProperty(attributes, name, { value, enumerable: true, configurable: true, writable: true });
  };
  for (const [name, values] of Object.entries(ATTRIBUTES)) {
    const share = name === 'user_key' || name === 'targetingKey' ? 0.1 : 0.6;
    if (dice.chance(share)) put(name, randomValue(dice, values));
  }
  if (dice.chance(0.2)) put(dice.one(ODD_NAMES), dice.one(ODD));
  if (dice.chance(0.1)) put('plan', { name: 'pro' });
  const user = dice.below(10);
  return {
    ...(user < 8 && { user_key: user < 6 ? dice.one(['u-1', 'u-2', 'u-3']) : `user-${dice.below(1_000)}` }),
    ...(user === 8 && { user_key: '' }),
    attributes,
  };
}
