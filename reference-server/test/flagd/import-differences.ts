import type { Condition, Context } from '@flagsvc/sdk-core';
import type { FlagdAnswer } from './evaluate.ts';

/** A context for which an imported flag serves a rule and flagd does not. */
export interface Widening {
  readonly conditions: readonly Condition[];
  readonly context: Context;
  readonly answer: FlagdAnswer;
}

interface Kind {
  readonly name: string;
  readonly reason: string;
  readonly is: (widening: Widening) => boolean;
}

const isScalar = (value: unknown): boolean =>
  value !== null && typeof value !== 'object' && value !== undefined;

/** Whether a condition compares an attribute whose value satisfies `isSuch`. */
const compares = (
  { conditions, context: { attributes = {}, user_key } }: Widening,
  isSuch: (value: unknown, condition: Condition) => boolean,
): boolean =>
  conditions.some((condition) => {
    const { attribute } = condition;
    const own = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
    return isSuch(attribute === 'user_key' ? (own ?? user_key) : own, condition);
  });

/**
 * All reasons why an imported flag may serve a rule to more users than flagd. Our evaluator reads attributes of more
 * shapes than flagd's operators do (EV-57 to EV-76, EV-81 to EV-86), and its conditions cannot test the shape. For
 * attributes of the shape that an operator expects, an import never serves a rule to more users.
 */
export const KINDS: readonly Kind[] = [
  {
    name: 'flagd-fails',
    reason: "A comparison in flagd fails on the attribute, and flagd returns the caller's default.",
    is: ({ answer }) => answer.reason === 'ERROR',
  },
  {
    name: 'user-key-attribute',
    reason: 'An attribute named user_key takes precedence over the key of the user.',
    is: ({ context }) => Object.hasOwn(context.attributes ?? {}, 'user_key'),
  },
  {
    name: 'list-or-object',
    reason:
      'Our evaluator compares the elements of a list and ignores an object; flagd compares the list or object itself.',
    is: (widening) => compares(widening, (value) => typeof value === 'object' && value !== null),
  },
  {
    name: 'other-scalar',
    reason:
      'Our evaluator compares a number or boolean as text, and a decimal text as a number; flagd does not.',
    is: (widening) =>
      compares(widening, (value, { operator, value: operand }) =>
        operator === 'gt' || operator === 'lt'
          ? typeof value !== 'number'
          : // A condition on a bucketing attribute has no text to compare with, but flagd buckets only by texts:
            // hence the empty text.
            isScalar(value) && [operand, ''].flat().some((one) => typeof one !== typeof value),
      ),
  },
  {
    name: 'empty-text',
    reason: "flagd's evaluator in JavaScript does not find the empty text in an empty text.",
    is: (widening) =>
      compares(
        widening,
        (value, { operator, value: operand }) => value === '' && operator === 'contains' && operand === '',
      ),
  },
  {
    name: 'version-form',
    reason: 'Our evaluator and flagd read different forms of a version.',
    is: (widening) =>
      compares(widening, (value, { operator }) => operator.startsWith('version_') && isScalar(value)),
  },
];
