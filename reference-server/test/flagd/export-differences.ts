import type { Condition, Context } from '@flagsvc/sdk-core';
import type { FlagdAnswer } from './evaluate.ts';
import type { RandomProject, ScopedFlag } from './random-project.ts';

/** One answer of flagd that is not ours. */
export interface Difference {
  readonly project: RandomProject;
  readonly flag: ScopedFlag;
  readonly context: Context;
  readonly answer: FlagdAnswer;
  /** The rules down to the one that decides here; all when none does. */
  readonly asked: ScopedFlag['rules'];
  readonly warnings: readonly string[];
}

interface Kind {
  readonly name: string;
  readonly reason: string;
  readonly is: (difference: Difference) => boolean;
}

/** Every way in which an exported flag may answer otherwise, always with fewer users in a rule. The first one counts. */
export const KINDS: readonly Kind[] = [
  {
    name: 'switched-off',
    reason: 'flagd leaves a disabled flag to the caller, and we serve its default variation.',
    is: ({ answer }) => answer.reason === 'DISABLED',
  },
  {
    name: 'flag-left-out',
    reason: 'A json variation that is not an object is outside the schema of flagd.',
    is: ({ flag, warnings }) => warnings.includes(`flag-left-out=${flag.key}`),
  },
  {
    name: 'rollout',
    reason: 'flagd hashes users by another function.',
    is: ({ asked }) => asked.at(-1)?.percentage_rollout !== undefined,
  },
  {
    name: 'rule-left-out',
    reason:
      'flagd cannot say the rule, or one before it, or a segment that they name; users whom it may match get the default.',
    is: ({ flag, asked, warnings }) =>
      asked.some(
        ({ id, conditions }) =>
          ['rule-left-out', 'rule-cut'].some((code) => warnings.includes(`${code}=${flag.key}/${id}`)) ||
          segmentsOf(conditions).some((key) => warnings.includes(`segment-left-out=${key}`)),
      ),
  },
  {
    name: 'number-as-text',
    reason: 'JSONLogic cannot tell whether a text is a decimal number.',
    is: (difference) =>
      asksFor(difference, ['gt', 'lt'], (value) => elements(value).some((one) => typeof one === 'string')),
  },
  {
    name: 'version-form',
    reason: 'flagd reads fewer forms of a version than we do, and has a bound on its length.',
    is: (difference) =>
      asksFor(difference, ['version_gt', 'version_lt'], (value) =>
        elements(value).some((one) => typeof one === 'string' && /^v?(\d|$)/i.test(one)),
      ),
  },
  {
    name: 'nothing-to-compare',
    reason: 'JSONLogic cannot tell an empty list from an object, which negative operators tell apart.',
    is: (difference) =>
      asksFor(
        difference,
        ['is_not', 'not_contains', 'not_one_of'],
        (value) => typeof value === 'object' && value !== null && !elements(value).some(isScalar),
      ),
  },
];

const segmentsOf = (conditions: readonly Condition[]): readonly string[] =>
  conditions.flatMap(({ attribute, value }) => (attribute === '$segment' ? (value as string[]) : []));

const isScalar = (value: unknown): boolean => value !== null && typeof value !== 'object';
const elements = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Whether a rule that was asked, or a segment that it names, has such a condition on such a value. */
function asksFor(
  { project, context, asked }: Difference,
  operators: readonly string[],
  isSuch: (value: unknown) => boolean,
): boolean {
  const { attributes = {}, user_key } = context;
  const own = (name: string): unknown =>
    Object.hasOwn(attributes, name) ? attributes[name] : name === 'user_key' ? user_key : undefined;
  return asked
    .flatMap((rule) => rule.conditions)
    .flatMap((condition) => (condition.attribute === '$segment' ? members(project, condition) : [condition]))
    .some(({ attribute, operator }) => operators.includes(operator) && isSuch(own(attribute)));
}

function members({ segments }: RandomProject, { value }: Condition): readonly Condition[] {
  return segments
    .filter(({ key }) => (value as readonly string[]).includes(key))
    .flatMap(({ conditions_json, excluded_json = '[]' }) => [
      ...(JSON.parse(conditions_json) as Condition[]),
      ...(excluded_json === '[]'
        ? []
        : [{ attribute: 'user_key', operator: 'not_one_of' as const, value: [] }]),
    ]);
}
