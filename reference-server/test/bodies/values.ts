/** Values that bodies are made of: valid ones for each target, and mutations. */
import { type Dice, times } from './dice.ts';

/** The endpoints to which bodies are sent. */
export const TARGETS = ['events', 'evaluate', 'ofrep-all', 'ofrep-one', 'ofrep-none'] as const;
export type Target = (typeof TARGETS)[number];

/** The time of the fuzzed server, whose clock does not move. */
const NOW = '2026-11-20T10:00:00.000Z';
const NAMES = [
  'user_key',
  'attributes',
  'flags',
  'events',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a.b',
];
const CHARACTERS = ['a', '"', '\\', '\0', 'é', '€', '💚', '\ud800', '\ufeff', '\u2028', '/', '{'];
const PARTS = ['u', 'user-42', 'ada@example.com', 'checkout-v2', '2.1.0', 'DE', '東京', ...CHARACTERS];
const NUMBERS = [0, -0, 1, -1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 5e-324, 1.7976931348623157e308];
/** Upper bounds for counts: mostly small, sometimes above every limit. */
const SCALES = [10, 10, 10, 10, 10, 10, 100, 100, 100, 100, 1_000, 1_000, 1_000, 10_000, 150_000];
/** Repeated values have at most this length in total, which is above the limit of every target. */
const REPEATED_LENGTH_MAX = 1_500_000;

export function validBody(target: Target, dice: Dice): unknown {
  if (target === 'events') return { batch_id: text(dice), sdk: { name: 'x' }, events: events(dice) };
  if (target === 'evaluate')
    return { flags: flagKeys(dice), context: { user_key: text(dice), attributes: attributes(dice) } };
  return { context: { targetingKey: text(dice), ...(attributes(dice) as object) } };
}

function events(dice: Dice): unknown[] {
  return times(dice.size(1_000), () => event(dice));
}

function event(dice: Dice): object {
  const outcome = {
    flag_key: dice.pick(['dark-mode', text(dice)]),
    variation_key: dice.pick(['on', null, undefined]),
    reason: dice.pick(['DEFAULT', 'TARGETING_RULE', 'FLAG_NOT_FOUND']),
    rule_id: dice.pick([null, 'rule_1', undefined]),
    ruleset_version: dice.pick([1, null, 7]),
  };
  const identity = { id: `${dice.random()}`, timestamp: NOW, user_key: text(dice) };
  switch (dice.below(4)) {
    case 0:
      return {
        ...{ type: 'summary', start: NOW, end: NOW },
        counters: times(dice.size(20), () => ({ ...outcome, count: dice.below(9) })),
      };
    case 1:
      return { type: 'exposure', ...identity, ...outcome, user_key_hashed: dice.pick([true, undefined]) };
    case 2:
      return { type: 'track', ...identity, event_name: 'bought', value: 1.5, properties: attributes(dice) };
    default:
      return { type: 'diagnostic', dropped_events: dice.below(99) };
  }
}

function flagKeys(dice: Dice): string[] {
  if (dice.chance(0.5)) return ['*'];
  const count = dice.size(dice.pick([3, 10_000]));
  return times(count, () => dice.pick(['dark-mode', 'flag-7', `flag-${dice.below(90)}`, text(dice)]));
}

function attributes(dice: Dice): unknown {
  const named = times(dice.size(dice.pick([5, 5, 1_000])), (index) => [
    dice.pick([`attribute-${index}`, 'plan', 'country', ...NAMES]),
    dice.pick<() => unknown>([
      () => text(dice),
      () => dice.pick(NUMBERS),
      () => dice.chance(0.5),
      () => times(dice.size(20), () => text(dice)),
    ])(),
  ]);
  return objectOf(named as [string, unknown][]);
}

function text(dice: Dice): string {
  const part = dice.pick(PARTS);
  return dice.chance(0.01) ? part.repeat(dice.size(500)) : part + dice.pick(PARTS);
}

/** Replaces, repeats, removes or wraps values at random positions. */
export function mutate(value: unknown, dice: Dice): unknown {
  let mutant = value;
  const most = dice.pick(SCALES);
  for (let count = dice.size(4); count > 0; count--) mutant = mutateOnce(mutant, { most, depth: 0 }, dice);
  return mutant;
}

interface Place {
  readonly most: number;
  readonly depth: number;
}

function mutateOnce(value: unknown, { most, depth }: Place, dice: Dice): unknown {
  // A fault at the top levels is refused before anything below it is read, so faults are rarer there.
  const isHere = dice.chance(depth < 2 ? 0.03 : 0.2);
  const place = { most, depth: depth + 1 };
  if (typeof value !== 'object' || value === null || isHere) return replacement(value, most, dice);
  if (Array.isArray(value)) {
    if (value.length === 0) return [replacement(value, most, dice)];
    const at = dice.below(value.length);
    const item = mutateOnce(value[at], place, dice);
    if (dice.chance(0.2)) return repeated(dice.size(most), item);
    const items = [...value];
    items.splice(at, 1, ...(dice.chance(0.1) ? [] : [item]));
    return items;
  }
  const named = Object.entries(value);
  if (named.length === 0 || dice.chance(0.1)) named.push([dice.pick(NAMES), null]);
  const at = dice.below(named.length);
  const [name, member] = named[at]!;
  if (dice.chance(0.1)) named.splice(at, 1);
  else named[at] = [dice.chance(0.1) ? dice.pick(NAMES) : name, mutateOnce(member, place, dice)];
  return objectOf(named);
}

/** A value that is expensive to read, or of a type that is not allowed in this position. */
function replacement(value: unknown, most: number, dice: Dice): unknown {
  const many = dice.size(most);
  const name = () => dice.below(36 ** dice.size(6)).toString(36);
  return dice.pick<() => unknown>([
    () => dice.pick<unknown>([null, true, false, '', [], {}, [[]], [{}], ...NUMBERS]),
    () => text(dice),
    () => dice.pick(CHARACTERS).repeat(many),
    () => times(many, () => dice.pick([0, null, '', 'a', 'é'])),
    () => times(many, () => dice.pick([[], {}, [0]])),
    () => times(many, () => ({ [name()]: 0 })),
    () => manyNames(many, dice),
    () => times(Math.sqrt(many), () => manyNames(Math.sqrt(many), dice)),
    () => nested(dice.pick([1, 7, 8, 9, 31, 32, 33, dice.size(2_000)]), value, dice),
    () => repeated(many, nested(dice.pick([8, 31]), value, dice)),
    () => [value, value],
  ])();
}

function repeated(count: number, item: unknown): unknown[] {
  const room = REPEATED_LENGTH_MAX / (JSON.stringify(item)?.length ?? 1);
  return times(Math.min(count, room), () => item);
}

function manyNames(count: number, dice: Dice): unknown {
  const kind = dice.below(5);
  const start = dice.below(1_000_000);
  return objectOf(
    times(count, (index) => {
      if (kind === 0) return [`${start + index}`, 0];
      if (kind === 1) return [`${4_294_967_295 - index * 7}`, 0];
      if (kind === 2) return [`é${(start + index).toString(36)}€`, 'é'];
      if (kind === 3) return [`${'x'.repeat(30)}${index}`, null];
      return [(start + index).toString(36), index];
    }),
  );
}

function nested(depth: number, inner: unknown, dice: Dice): unknown {
  let value = dice.chance(0.5) ? inner : 0;
  const isList = dice.chance(0.5);
  for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
  return value;
}

/** An object in which every name is an own property, `__proto__` included. */
function objectOf(named: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(named);
}
