import { usageError } from '../output/errors.ts';
import {
  type Condition,
  type Operator,
  parsed,
  type Scalar,
  SEGMENT,
  scalarOf,
  singleValue,
} from './condition-values.ts';
import { didYouMean } from './nearest.ts';
import type { OptionValues } from './options.ts';
import { parseShare } from './values.ts';

/** How people write each operator; the longest spelling that fits counts. */
const SPELLINGS: Readonly<Record<Operator, readonly string[]>> = {
  is: ['is', '=', '=='],
  is_not: ['is_not', 'is not', '!='],
  one_of: ['one_of', 'one of', 'is one of', 'in'],
  not_one_of: ['not_one_of', 'not one of', 'is not one of', 'not in'],
  contains: ['contains'],
  not_contains: ['not_contains', 'not contains', 'does not contain'],
  gt: ['gt', '>', 'is greater than'],
  lt: ['lt', '<', 'is less than'],
  version_gt: ['version_gt', 'version >', 'is a later version than'],
  version_lt: ['version_lt', 'version <', 'is an earlier version than'],
  matches_regex: ['matches_regex', 'matches'],
};
const OPERATORS = Object.keys(SPELLINGS) as Operator[];
const BY_LENGTH = OPERATORS.flatMap((operator) =>
  SPELLINGS[operator].map((spelling) => ({ operator, spelling })),
).sort((a, b) => b.spelling.length - a.spelling.length);

/** The conditions from `--when`, `--segment` and `--not-segment`; undefined without any of them. */
export function parseConditions(options: OptionValues): Condition[] | undefined {
  const { when = [], segment, 'not-segment': not } = options;
  if (options.everyone === true) {
    if (when.length > 0 || segment || not) throw usageError('--everyone cannot be combined with conditions.');
    return [];
  }
  const conditions = [
    ...when.map(parseCondition),
    ...(segment === undefined
      ? []
      : [{ attribute: SEGMENT, operator: 'one_of' as const, value: [...segment] }]),
    ...(not === undefined ? [] : [{ attribute: SEGMENT, operator: 'not_one_of' as const, value: [...not] }]),
  ];
  return conditions.length === 0 ? undefined : conditions;
}

/** Parses `attribute operator value`, such as `country is CH`, or `in segment beta`. */
export function parseCondition(text: string): Condition {
  const [, not, segments] = /^\s*(not )?in segment (\S.*)$/su.exec(text) ?? [];
  if (segments !== undefined) {
    const value = segments.split(/ (?:or|nor) |,/).map((one) => one.trim());
    return { attribute: SEGMENT, operator: not === undefined ? 'one_of' : 'not_one_of', value };
  }
  const [, quoted, bare, rest = ''] = /^\s*(?:"([^"]+)"|(\S+))\s+(.*)$/su.exec(text) ?? [];
  const attribute = quoted ?? bare;
  if (attribute === undefined) throw wrongShape(text);
  const found = BY_LENGTH.find(({ spelling }) => rest === spelling || rest.startsWith(`${spelling} `));
  if (found === undefined) {
    const word = rest.split(' ')[0]!;
    throw usageError(
      `Invalid --when "${text}": "${word}" is no operator.`,
      didYouMean(word, OPERATORS) ?? `Use one of ${OPERATORS.join(', ')}.`,
    );
  }
  const value = rest.slice(found.spelling.length).trim();
  if (value === '') throw wrongShape(text);
  return { attribute, operator: found.operator, value: parseValue(found.operator, value) };
}

function parseValue(operator: Operator, text: string): Condition['value'] {
  if (operator === 'one_of' || operator === 'not_one_of') return listOf(text);
  return singleValue(operator, text);
}

function listOf(text: string): Scalar[] {
  if (text.startsWith('[')) {
    const list = parsed(text);
    if (Array.isArray(list)) return list as Scalar[];
    throw usageError(`Invalid --when: ${text} is not a JSON list.`);
  }
  return text.split(',').map((one) => scalarOf(one.trim()));
}

function wrongShape(text: string) {
  return usageError(
    `Invalid --when "${text}".`,
    'Write a condition as attribute, operator and value, such as "country is CH" or "plan one_of pro,team".',
  );
}

/** What a rule serves: one variation or shares. */
export type Serving =
  | { readonly variation: string }
  | { readonly percentage_rollout: { variation: string; percentage: number }[] };

/** Parses `--serve`: one variation, or shares such as `on=25`; undefined without the option. */
export function parseServing({ serve = [] }: OptionValues): Serving | undefined {
  const [first, ...others] = serve;
  if (first === undefined) return undefined;
  if (serve.every((one) => one.includes('='))) return { percentage_rollout: serve.map(parseShare) };
  if (others.length === 0) return { variation: first };
  throw usageError(
    'Several --serve need a share each.',
    `Write ${serve.map((one) => `--serve ${one.split('=')[0]}=50`).join(' ')}.`,
  );
}
