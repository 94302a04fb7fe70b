import { ATTRIBUTES, type Dice } from './random-project.ts';

type Logic = unknown;

/** Attribute names without a dot: our contexts are flat, and flagd's are nested. */
const NAMES = ['country', 'email', 'plan', 'age', 'score', 'beta', 'version', 'roles', 'targetingKey'];

/** Values without `$`: flagd-core expands replacement patterns in the texts of evaluators and so corrupts the file. */
const valuesOf = (name: string) =>
  ATTRIBUTES[name === 'targetingKey' ? 'user_key' : name]!.filter((value) => !String(value).includes('$'));

function comparison(dice: Dice): Logic {
  const name = dice.one(NAMES);
  const fact = { var: dice.chance(0.1) ? [name] : name };
  const value = dice.one(valuesOf(name));
  const text = String(value);
  switch (dice.below(9)) {
    case 0:
      return { [dice.one(['===', '=='])]: [fact, value] };
    case 1:
      return { [dice.one(['!==', '!='])]: [fact, value] };
    case 2:
      return { in: [fact, dice.some(valuesOf(name), 3)] };
    case 3:
      return { in: [text, fact] };
    case 4:
      return { [dice.one(['<', '>'])]: [fact, dice.one([-1, 0, 5, 17.5])] };
    case 5:
      return { [dice.one(['starts_with', 'ends_with'])]: [fact, text] };
    case 6:
      return {
        sem_ver: [{ var: 'version' }, dice.one(['<', '>']), dice.one(['1.2.3', '2.0.0', '1.0.0-rc.2'])],
      };
    case 7:
      return { '!': { in: [fact, dice.some(valuesOf(name), 3)] } };
    default:
      return { '!==': [fact, null] };
  }
}

function condition(dice: Dice, refs: readonly string[]): Logic {
  const one = (): Logic => {
    if (refs.length === 0 || dice.chance(0.8)) return comparison(dice);
    const ref = { $ref: dice.one(refs) };
    return dice.chance(0.7) ? ref : { '!': ref };
  };
  const roll = dice.below(10);
  if (roll < 6) return one();
  if (roll < 8) return { and: [one(), one()] };
  return refs.length === 0 ? { and: [one(), one()] } : { or: [one(), { and: [one(), one()] }] };
}

function served(dice: Dice, variant: string): Logic {
  switch (dice.below(8)) {
    case 0:
      return { fractional: [[variant, 3]] };
    case 1:
      return { fractional: [{ var: dice.one(['email', 'country']) }, [variant, 100]] };
    case 2:
      return { fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'email' }] }, [variant, 1]] };
    case 3:
      return null;
    default:
      return variant;
  }
}

/** Flags with one variant per branch, so that the answer shows which branch decided. */
export function randomFlagd(
  dice: Dice,
  count: number,
): { flags: Record<string, object>; $evaluators: object } {
  const $evaluators = Object.fromEntries(
    ['staff', 'beta', 'listed'].map((key) => [key, condition(dice, [])]),
  );
  const refs = Object.keys($evaluators);
  const flags = Array.from({ length: count }, (_, index) => {
    const branches = Array.from({ length: 1 + dice.below(4) }, (__, at) => [
      dice.chance(0.1) ? true : condition(dice, refs),
      served(dice, `branch-${at}`),
    ]);
    const chain: Logic[] = branches.flat();
    if (dice.chance(0.5)) chain.push(dice.one([null, 'other', { if: [condition(dice, refs), 'other'] }]));
    const names = ['default', 'other', 'branch-0', 'branch-1', 'branch-2', 'branch-3'];
    const flag = {
      state: 'ENABLED',
      variants: Object.fromEntries(names.map((name) => [name, name])),
      defaultVariant: 'default',
      targeting: { if: chain },
    };
    return [`flag-${index}`, flag] as const;
  });
  return { flags: Object.fromEntries(flags), $evaluators };
}
