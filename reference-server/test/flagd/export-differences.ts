import type { Condition, Context } from '@flagsvc/sdk-core';
import type { FlagdAnswer } from './evaluate.ts';
import type { RandomProject, ScopedFlag } from './random-project.ts';

/** A context for which flagd answers differently from our evaluator. */
export interface Difference {
  readonly project: RandomProject;
  readonly flag: ScopedFlag;
  readonly context: Context;
  readonly answer: FlagdAnswer;
  /** The rules up to the one that decides in our evaluator; all rules if none decides. */
  readonly tried: ScopedFlag['rules'];
  readonly warnings: readonly string[];
}

interface Kind {
  readonly name: string;
  readonly reason: string;
  readonly is: (difference: Difference) => boolean;
}

/**
 * All reasons why flagd may answer differently from our evaluator. In each case, flagd serves a rule to fewer users. If
 * several reasons apply, the first one counts.
 */
export const KINDS: readonly Kind[] = [
  {
    name: 'switched-off',
    reason:
      "flagd returns the caller's default for a disabled flag; our evaluator returns the default variation.",
    is: ({ answer }) => answer.reason === 'DISABLED',
  },
  {
    name: 'flag-left-out',
    reason: 'A json variation that is not an object is outside the schema of flagd.',
    is: ({ flag, warnings }) => warnings.includes(`flag-left-out=${flag.key}`),
  },
  {
    name: 'rollout',
    reason: 'flagd assigns users to rollouts with a different hash function.',
    is: ({ tried }) => tried.at(-1)?.percentage_rollout !== undefined,
  },
  {
    name: 'rule-left-out',
    reason:
      'flagd cannot express one of the tried rules, or a segment that one of them names. Users whom that rule may match get the default.',
    is: ({ flag, tried, warnings }) =>
      tried.some(
        ({ id, conditions }) =>
          ['rule-left-out', 'rule-cut'].some((code) => warnings.includes(`${code}=${flag.key}/${id}`)) ||
          segmentsOf(conditions).some((key) => warnings.includes(`segment-left-out=${key}`)),
      ),
  },
  {
    name: 'number-as-text',
    reason: 'JSONLogic cannot check whether a text is a decimal number.',
    is: (difference) =>
      comparesBy(difference, ['gt', 'lt'], (value) => elements(value).some((one) => typeof one === 'string')),
  },
  {
    name: 'version-form',
    reason: 'flagd reads fewer forms of version numbers, and limits their length.',
    is: (difference) =>
      comparesBy(difference, ['version_gt', 'version_lt'], (value) =>
        elements(value).some((one) => typeof one === 'string' && /^v?(\d|$)/i.test(one)),
      ),
  },
  {
    name: 'nothing-to-compare',
    reason:
      'Our negative operators treat an empty list and an object differently, but JSONLogic cannot distinguish the two.',
    is: (difference) =>
      comparesBy(
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

/**
 * Whether one of the tried rules, or a segment that one of them names, applies one of these operators to an attribute
 * whose value satisfies `isSuch`.
 */
function comparesBy(
  { project, context, tried }: Difference,
  operators: readonly string[],
  isSuch: (value: unknown) => boolean,
): boolean {
  const { attributes = {}, user_key } = context;
  const own = (name: string): unknown =>
    Object.hasOwn(attributes, name) ? attributes[name] : name === 'user_key' ? user_key : undefined;
  return tried
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
