import type { Entry } from '../mutant.ts';
import { mutantsOf } from '../mutant.ts';

const CERTAIN = 'isComplete[position] && !hasList ? ~position : position';

const entries: readonly Entry[] = [
  ['index-asks-segments', 'EV-110', "attribute === '$segment' || ", ''],
  ['index-negative-as-positive', 'operator-is-not', 'operation.isNegative ?? false', 'false'],
  ['index-positive-as-negative', 'operator-is', 'operation.isNegative ?? false', 'true'],
  ['index-one-value', 'operator-one-of', 'new Set(texts)', 'new Set(texts.slice(0, 1))'],
  [
    'index-texts-only',
    'EV-69',
    'new Set(texts)',
    "new Set([value].flat().filter((item) => typeof item === 'string').map(String))",
  ],
  ['index-attribute-texts-only', 'EV-69', 'rows.get(textOf(value))', 'rows.get(value as string)'],
  [
    'index-without-user',
    'EV-59',
    'value = read(attributes, attribute, context);',
    'value = attributes[attribute];',
  ],
  [
    'index-inherited',
    'EV-28',
    'value = read(attributes, attribute, context);',
    'value = attribute in attributes ? attributes[attribute] : read(attributes, attribute, context);',
    { equivalent: 'JSON values inherit only functions, which are not scalars and count as missing.' },
  ],
  ['index-lists-missing', 'EV-60', 'isList ? all : missing', 'missing'],
  ['index-lists-other', 'EV-60', 'isList ? all : missing', 'isList ? other : missing'],
  ['index-missing-is-all', 'EV-54', 'isList ? all : missing', 'all'],
  [
    'index-missing-is-other',
    'EV-54',
    'set(missing, rule, tests.length === 0);',
    'set(missing, rule, false);',
  ],
  ['index-other-none', 'operator-is-not', 'tests.every(({ isNegative }) => isNegative)', 'false'],
  [
    'index-other-any',
    'operator-is-not',
    'tests.every(({ isNegative }) => isNegative)',
    'tests.length > 0 && tests.every(({ isNegative }) => isNegative)',
  ],
  [
    'index-row-any',
    'eval-and',
    'tests.every(({ texts, isNegative }) => texts.has(text) !== isNegative)',
    'tests.some(({ texts, isNegative }) => texts.has(text) !== isNegative)',
  ],
  [
    'index-row-without-negative',
    'eval-and',
    'tests.every(({ texts, isNegative }) => texts.has(text) !== isNegative)',
    'tests.every(({ texts, isNegative }) => texts.has(text) && !isNegative)',
  ],
  [
    'index-rows-empty',
    'operator-is-not',
    'rows.get(text) ?? other.slice()',
    'rows.get(text) ?? new Int32Array(words)',
  ],
  ['index-rows-shared', 'operator-is-not', 'rows.get(text) ?? other.slice()', 'rows.get(text) ?? other'],
  ['index-32-rules', 'eval-first-match', '(rules.length + 31) >> 5', '1'],
  ['index-words-without-rest', 'eval-first-match', '(rules.length + 31) >> 5', 'rules.length >> 5'],
  ['index-forgets-from', 'eval-first-match', 'let candidates = -1 << from;', 'let candidates = -2 << from;'],
  ['index-keeps-candidates', 'eval-first-match', 'candidates = -1;\n    }', '}'],
  [
    'index-first-column',
    'eval-and',
    'for (let i = 0; i < columns.length; i++) candidates',
    'for (let i = 0; i < 1; i++) candidates',
  ],
  [
    'index-highest',
    'eval-first-match',
    '31 - Math.clz32(candidates & -candidates)',
    '31 - Math.clz32(candidates)',
  ],
  [
    'index-beyond',
    'eval-default',
    'Math.min((word << 5) + 31 - Math.clz32(candidates & -candidates), rules.length);',
    '(word << 5) + 31 - Math.clz32(candidates & -candidates);',
    { equivalent: 'Reading beyond the last rule ends at the default, which is also the right result.' },
  ],
  ['index-always-certain', 'eval-and', CERTAIN, '~position'],
  ['index-certain-of-lists', 'EV-60', CERTAIN, 'isComplete[position] ? ~position : position'],
  ['index-list-forgotten', 'EV-60', 'hasList ||= isList;', 'hasList = isList;'],
  [
    'index-list-for-ever',
    'EV-60',
    'hasList = false;\n    for',
    'for',
    {
      equivalent:
        'A rule that the index does not mark as certain has its conditions tested, with the same result.',
    },
  ],
  ['index-knows-of-any', 'eval-and', 'conditions.every(textTestOf)', 'conditions.some(textTestOf)'],
  [
    'index-is-of-any-shape',
    'EV-64',
    'comparedTexts(operation, operation.parse(value))',
    "comparedTexts(operation, operation.parse(operator.startsWith('is') ? [value].flat()[0] : value))",
  ],
];

/** Defects in the rule index, tested through an evaluator that uses one. */
export const ruleIndexMutants = mutantsOf(
  'rule-index.ts',
  entries.map(
    ([id, requirement, find, replace, more]): Entry => [
      id,
      requirement,
      find,
      replace,
      { ...more, surface: 'index' },
    ],
  ),
);
