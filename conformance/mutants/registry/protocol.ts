import { mutantsOf } from '../mutant.ts';

const swap = (one: string, other: string): [string, string] => [
  `'${one}',\n  '${other}',`,
  `'${other}',\n  '${one}',`,
];

/** The list of operators, whose places tell what they mean. */
export const protocolMutants = mutantsOf('protocol.ts', [
  ['is-and-is-not-swapped', 'operator-is', ...swap('is', 'is_not')],
  ['contains-and-not-contains-swapped', 'operator-contains', ...swap('contains', 'not_contains')],
  ['one-of-and-not-one-of-swapped', 'operator-one-of', ...swap('one_of', 'not_one_of')],
  ['gt-and-lt-swapped', 'operator-gt', ...swap('gt', 'lt')],
  ['version-gt-and-version-lt-swapped', 'operator-version-gt', ...swap('version_gt', 'version_lt')],
  ['is-not-unknown', 'operator-is-not', "  'is_not',\n", "  '',\n"],
  ['not-contains-unknown', 'operator-not-contains', "  'not_contains',\n", "  '',\n"],
  ['not-one-of-unknown', 'operator-not-one-of', "  'not_one_of',\n", "  '',\n"],
  ['gt-unknown', 'operator-gt', "  'gt',\n", "  '',\n"],
  ['lt-unknown', 'operator-lt', "  'lt',\n", "  '',\n"],
  ['matches-regex-unknown', 'operator-matches-regex', "  'matches_regex',\n", "  '',\n"],
  ['version-gt-unknown', 'operator-version-gt', "  'version_gt',\n", "  '',\n"],
  ['version-lt-unknown', 'operator-version-lt', "  'version_lt',\n", "  '',\n"],
]);
