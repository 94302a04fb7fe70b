import { OPERATORS } from '@flagsvc/sdk-core';
import { type Static, Type } from 'typebox';

const Scalar = [Type.String(), Type.Number(), Type.Boolean()] as const;

/** One condition ("Condition"). `checkConditions` checks that the value suits the operator. */
export const Condition = Type.Object({
  attribute: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name of a context attribute, or `$segment`. Other names beginning with `$` are refused.',
  }),
  operator: Type.Enum([...OPERATORS], { description: 'How the attribute is compared with `value`.' }),
  value: Type.Union([...Scalar, Type.Array(Type.Union([...Scalar]))], {
    description:
      'A list for `one_of` and `not_one_of`, otherwise a single value. The regular expressions of a flag in one ' +
      'environment, or of a segment, can have at most 10,000 states in total.',
  }),
});

export type ConditionInput = Static<typeof Condition>;

/** The user keys that a segment lists. */
export const userKeys = (description?: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 1_024 }), {
    maxItems: 10_000,
    ...(description && { description }),
  });

/** At most 20 per rule or segment. */
export const Conditions = Type.Array(Condition, { maxItems: 20 });
