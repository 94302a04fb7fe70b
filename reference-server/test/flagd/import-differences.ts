import type { Condition, Context } from '@flagsvc/sdk-core';
import type { FlagdAnswer } from './evaluate.ts';

/** One user whom an imported flag serves a rule that flagd does not. */
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

/** Whether an attribute that is asked for, by these operators, is such a value. */
const asks = (
  { conditions, context: { attributes = {}, user_key } }: Widening,
  isSuch: (value: unknown, condition: Condition) => boolean,
): boolean =>
  conditions.some((condition) => {
    const { attribute } = condition;
    const own = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
    return isSuch(attribute === 'user_key' ? (own ?? user_key) : own, condition);
  });

/**
 * Our evaluator reads attributes in shapes in which flagd's operators do not (EV-57 to EV-76 and EV-81 to EV-86), and
 * no condition of ours can ask for a shape. For attributes in the shape that an operator asks for, an import never widens.
 */
export const KINDS: readonly Kind[] = [
  {
    name: 'flagd-fails',
    reason: 'A comparison of flagd fails on the attribute, and flagd leaves the flag to the caller.',
    is: ({ answer }) => answer.reason === 'ERROR',
  },
  {
    name: 'user-key-attribute',
    reason: 'An attribute user_key stands before the key of the user.',
    is: ({ context }) => Object.hasOwn(context.attributes ?? {}, 'user_key'),
  },
  {
    name: 'list-or-object',
    reason:
      'A list is asked by its elements, and an object counts as missing; flagd compares them as they are.',
    is: (widening) => asks(widening, (value) => typeof value === 'object' && value !== null),
  },
  {
    name: 'other-scalar',
    reason: 'A number or a boolean is compared as its text, and a decimal text as its number.',
    is: (widening) =>
      asks(widening, (value, { operator, value: operand }) =>
        operator === 'gt' || operator === 'lt'
          ? typeof value !== 'number'
          : // Without operands, as a bucketing attribute is asked for: flagd buckets by texts only.
            isScalar(value) && [operand, ''].flat().some((one) => typeof one !== typeof value),
      ),
  },
  {
    name: 'empty-text',
    reason: 'The evaluator of flagd in JavaScript finds nothing in an empty text, not even the empty text.',
    is: (widening) =>
      asks(
        widening,
        (value, { operator, value: operand }) => value === '' && operator === 'contains' && operand === '',
      ),
  },
  {
    name: 'version-form',
    reason: 'We read more forms of a version than flagd, and flagd some that we do not.',
    is: (widening) =>
      asks(widening, (value, { operator }) => operator.startsWith('version_') && isScalar(value)),
  },
];
