import { mutantsOf } from '../mutant.ts';

/** Swaps the names of two adjacent operators. */
const swap = (one: string, operation: string, other: string): [find: string, replace: string] => [
  `  ${one}: ${operation},\n  ${other}: {`,
  `  ${other}: ${operation},\n  ${one}: {`,
];

/** Removes an operator. */
const unknown = (name: string): [find: string, replace: string] => [`  ${name}: {`, "  '': {"];

/** Defects in the table of operators. */
export const operatorTableMutants = mutantsOf('operators.ts', [
  ['is-and-is-not-swapped', 'operator-is', ...swap('is', '{ parse: parseText, test: isEqual }', 'is_not')],
  [
    'contains-and-not-contains-swapped',
    'operator-contains',
    ...swap('contains', '{ parse: parsePart, test: matchesText }', 'not_contains'),
  ],
  [
    'one-of-and-not-one-of-swapped',
    'operator-one-of',
    ...swap('one_of', '{ parse: parseList, test: isOneOf }', 'not_one_of'),
  ],
  ['gt-and-lt-swapped', 'operator-gt', ...swap('gt', '{ parse: parseNumber, test: isGreater }', 'lt')],
  [
    'version-gt-and-version-lt-swapped',
    'operator-version-gt',
    ...swap(
      'version_gt',
      '{ parse: (value) => parseVersion(value, true), test: matchesVersion }',
      'version_lt',
    ),
  ],
  ['is-not-unknown', 'operator-is-not', ...unknown('is_not')],
  ['not-contains-unknown', 'operator-not-contains', ...unknown('not_contains')],
  ['not-one-of-unknown', 'operator-not-one-of', ...unknown('not_one_of')],
  ['gt-unknown', 'operator-gt', ...unknown('gt')],
  ['lt-unknown', 'operator-lt', ...unknown('lt')],
  ['matches-regex-unknown', 'operator-matches-regex', ...unknown('matches_regex')],
  ['version-gt-unknown', 'operator-version-gt', ...unknown('version_gt')],
  ['version-lt-unknown', 'operator-version-lt', ...unknown('version_lt')],
]);
