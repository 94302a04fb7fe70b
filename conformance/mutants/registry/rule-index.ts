import type { Entry } from '../mutant.ts';
import { mutantsOf } from '../mutant.ts';

const entries: readonly Entry[] = [
  ['index-asks-segments', 'EV-110', "if (attribute === '$segment') return undefined;", ''],
  [
    'index-negative-as-positive',
    'operator-is-not',
    "operator === 'is_not' || operator === 'not_one_of';",
    'false;',
  ],
  [
    'index-positive-as-negative',
    'operator-is',
    "operator === 'is_not' || operator === 'not_one_of';",
    'true;',
  ],
  [
    'index-one-value',
    'operator-one-of',
    '[value].flat().filter(isScalar).map(String)',
    '[value].flat().slice(0, 1).filter(isScalar).map(String)',
  ],
  [
    'index-texts-only',
    'EV-69',
    '[value].flat().filter(isScalar).map(String)',
    "[value].flat().filter((item) => typeof item === 'string').map(String)",
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
    { equivalent: 'What JSON inherits are functions, which are no scalars: as good as missing.' },
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
  ['index-other-none', 'operator-is-not', 'tests.every(({ negative }) => negative)', 'false'],
  [
    'index-other-any',
    'operator-is-not',
    'tests.every(({ negative }) => negative)',
    'tests.length > 0 && tests.every(({ negative }) => negative)',
  ],
  [
    'index-row-any',
    'eval-and',
    'tests.every(({ keys, negative }) => keys.has(key) !== negative)',
    'tests.some(({ keys, negative }) => keys.has(key) !== negative)',
  ],
  [
    'index-row-without-negative',
    'eval-and',
    'tests.every(({ keys, negative }) => keys.has(key) !== negative)',
    'tests.every(({ keys, negative }) => keys.has(key) && !negative)',
  ],
  [
    'index-rows-empty',
    'operator-is-not',
    'rows.get(key) ?? other.slice()',
    'rows.get(key) ?? new Int32Array(words)',
  ],
  ['index-rows-shared', 'operator-is-not', 'rows.get(key) ?? other.slice()', 'rows.get(key) ?? other'],
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
    { equivalent: 'A walk that leaves the list of rules ends at the default, as it would anyway.' },
  ],
  ['index-always-certain', 'eval-and', 'known[at] && !hasList ? ~at : at', '~at'],
  ['index-certain-of-lists', 'EV-60', 'known[at] && !hasList ? ~at : at', 'known[at] ? ~at : at'],
  ['index-list-forgotten', 'EV-60', 'hasList ||= isList;', 'hasList = isList;'],
  [
    'index-list-for-ever',
    'EV-60',
    'hasList = false;\n    for',
    'for',
    { equivalent: 'Whoever is not certain asks the conditions, which say the same.' },
  ],
  ['index-knows-of-any', 'eval-and', 'conditions.every(keysIn)', 'conditions.some(keysIn)'],
  ['index-is-of-any-shape', 'EV-64', '&& isScalar(value);', ';'],
];

/** The rule index, asked through an evaluator that has one. */
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
