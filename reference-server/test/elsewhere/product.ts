import type { Condition, Context } from '@flagsvc/sdk-core';
import type { ForeignFormat } from '../../src/control-plane/features/imports/read-foreign.ts';
import type { Dice } from '../flagd/random-project.ts';

/** One user, in the words of another product and in ours. */
export interface BothContexts {
  readonly theirs: object;
  readonly ours: Context;
}

/** Another product: its own evaluator, and random documents and users for it. */
export interface Product {
  readonly format: ForeignFormat;
  /** A document without rollouts, so that each answer can be compared. */
  randomDocument(dice: Dice): object;
  /** The flags of a document by their names, and the paths of their losses. */
  flagsOf(document: object): readonly { readonly name: string; readonly path: string }[];
  randomContext(dice: Dice): BothContexts;
  /** Returns the value that the product's own evaluator serves. */
  load(document: object): Promise<(flag: string, context: object) => Promise<unknown>>;
  /** Whether the attribute has a type that the comparison does not expect. */
  isOtherType(value: unknown, condition: Condition): boolean;
}

/** Values for the attributes of rules; contexts have them, and others. */
export const ATTRIBUTES: Readonly<Record<string, readonly (string | number | boolean)[]>> = {
  country: ['de', 'fr', 'DE', 'us', 'ü'],
  email: ['a@example.com', 'x@evil.com', 'b@example.org', '@', '😀@example.com'],
  plan: ['pro', 'free', 'team', 'null'],
  age: [0, 5, 17.5, 18, 21, -3, 65],
  beta: [true, false],
  version: ['1.2.3', '2.0.0', '1.10.0', '1.2.4', '2.0.0-rc.1', '3.1.0+build'],
  roles: ['admin', 'user', 'editor'],
};

/** Values of every other shape. */
const ODD: readonly unknown[] = [
  ...[
    null,
    '',
    0,
    -0,
    1,
    5,
    true,
    false,
    'true',
    'false',
    '5',
    '5.0',
    '0x10',
    ' 5 ',
    '1e3',
    'null',
    'undefined',
  ],
  ...[[], [null], [[]], {}, { pro: true }, ['pro', 5, null, true], ['de'], [18], ['2.0.0'], [true]],
  ...[
    '\ud83d',
    '🇩🇪',
    'a,b',
    '[object Object]',
    '1.2',
    'v1.2.3',
    '2',
    'latest',
    '01.2.3',
    '1.2.3.4',
    2 ** 53,
    1e21,
  ],
];

/** A user with attributes of every shape; most attributes have the type that rules expect, some are missing. */
export function randomAttributes(dice: Dice): { userKey: string; attributes: Record<string, unknown> } {
  const attributes: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(ATTRIBUTES)) {
    if (!dice.chance(0.7)) continue;
    const roll = dice.below(20);
    const usual = name === 'roles' ? dice.some(values, 3) : dice.one(values);
    attributes[name] = roll < 17 ? usual : dice.one(ODD);
  }
  return {
    userKey: dice.chance(0.7) ? dice.one(['u-1', 'u-2', 'u-3']) : `user-${dice.below(1_000)}`,
    attributes,
  };
}
