import { plural } from '../../i18n/plural.ts';

export const en = {
  rules: (count: number) => plural(count, { one: '# rule', other: '# rules' }),
  needs: (count: number) => plural(count, { one: '# need', other: '# needs' }),
  if: 'If',
  and: 'and',
  user: 'the user',
  blank: '(blank)',
  yes: 'yes',
  no: 'no',
  verbs: {
    is: 'is',
    is_not: 'is not',
    contains: 'contains',
    not_contains: 'does not contain',
    one_of: 'is one of',
    not_one_of: 'is not one of',
    gt: 'is more than',
    lt: 'is less than',
    matches_regex: 'matches the pattern',
    version_gt: 'is newer than',
    version_lt: 'is older than',
  },
  /** Only these compare segments. */
  segmentVerbs: { one_of: 'is in', not_one_of: 'is not in', is: 'is in', is_not: 'is not in' } as Readonly<
    Record<string, string>
  >,
  segmentChoices: {
    one_of: 'in any of',
    not_one_of: 'in none of',
    is: 'in',
    is_not: 'not in',
  } as Readonly<Record<string, string>>,
  add: 'Condition',
  attribute: (number: number) => `Attribute of condition ${number}`,
  operator: (number: number) => `Comparison of condition ${number}`,
  value: (number: number) => `Value of condition ${number}`,
  remove: (number: number) => `Remove condition ${number}`,
  segment: 'Segment',
  segmentNote: 'A group that is defined once',
  addValue: 'Add',
  asNumber: 'Compare as a number',
  asYesNo: 'Compare as yes or no',
  asText: 'Compare as text',
};
