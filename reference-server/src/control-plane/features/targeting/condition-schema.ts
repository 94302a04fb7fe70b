import { OPERATORS } from '@flagsvc/sdk-core';
import { type Static, Type } from 'typebox';

const Scalar = [Type.String(), Type.Number(), Type.Boolean()] as const;

/** One condition ("Condition"). Its value's shape depends on the operator: `checkConditions` looks at that. */
export const Condition = Type.Object({
  attribute: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name of a context attribute, or `$segment`; other names do not begin with `$`.',
  }),
  operator: Type.Enum([...OPERATORS]),
  value: Type.Union([...Scalar, Type.Array(Type.Union([...Scalar]))], {
    description:
      'A list for `one_of` and `not_one_of`, else one value. The regular expressions of a flag in one environment, or ' +
      'of a segment, have at most 10,000 states together.',
  }),
});

export type ConditionInput = Static<typeof Condition>;

/** Users that a segment names one by one (decisions/0007). */
export const userKeys = (description?: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 1_024 }), {
    maxItems: 10_000,
    ...(description && { description }),
  });

/** At most 20 a rule. */
export const Conditions = Type.Array(Condition, { maxItems: 20 });
