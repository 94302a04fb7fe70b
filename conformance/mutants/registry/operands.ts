import { mutantsOf } from '../mutant.ts';

const DECIMAL = '/^[+-]?(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?$/i';
const LIST = 'new Set(value.filter(isScalar).map(String))';
const SCALAR = 'isScalar(value) ? parse(String(value)) : undefined;';
const PATTERN = 'scalar((text) => remember(compilePattern(text)));';
const VERSION = "typeof value === 'string' ? remember(compareVersion(value, isAbove))";
const FOUND = 'Object.hasOwn(OPERATIONS, operator) ? OPERATIONS[operator] : NEVER;';
/** In conditions.ts. */
const USABLE = 'const { test, isNegative = false } = isUsable ? operation : NEVER;';

/** Operators and the shapes of their values. */
export const operandMutants = mutantsOf('operators.ts', [
  ['decimal-without-sign', 'EV-77', DECIMAL, '/^(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?$/i'],
  ['decimal-without-plus', 'EV-77', DECIMAL, '/^-?(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?$/i'],
  ['decimal-begins-with-digit', 'EV-77', DECIMAL, '/^[+-]?(\\d+(\\.\\d+)?)(e[+-]?\\d+)?$/i'],
  ['decimal-ends-with-point', 'EV-78', DECIMAL, '/^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)(e[+-]?\\d+)?$/i'],
  ['decimal-without-exponent', 'EV-77', DECIMAL, '/^[+-]?(\\d+(\\.\\d+)?|\\.\\d+)$/i'],
  ['decimal-lower-exponent', 'EV-77', DECIMAL, '/^[+-]?(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?$/'],
  ['decimal-exponent-without-sign', 'EV-77', DECIMAL, '/^[+-]?(\\d+(\\.\\d+)?|\\.\\d+)(e\\d+)?$/i'],
  [
    'decimal-without-leading-zeros',
    'EV-77',
    DECIMAL,
    '/^[+-]?((?:0|[1-9]\\d*)(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?$/i',
  ],
  ['decimal-whole', 'EV-77', DECIMAL, '/^[+-]?\\d+$/'],
  ['decimal-may-be-empty', 'EV-78', DECIMAL, '/^([+-]?(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?)?$/i'],
  ['decimal-with-blanks', 'EV-78', DECIMAL, '/^\\s*[+-]?(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?\\s*$/i'],
  ['decimal-with-line-end', 'EV-78', DECIMAL, '/^[+-]?(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?\\n?$/i'],
  [
    'decimal-of-the-language',
    'EV-78',
    'DECIMAL.test(String(value))',
    "(typeof value === 'string' && value.trim() !== '')",
  ],
  [
    'decimal-hexadecimal',
    'EV-78',
    'DECIMAL.test(String(value))',
    '/^0x[0-9a-f]+$|^[+-]?(\\d+(\\.\\d+)?|\\.\\d+)(e[+-]?\\d+)?$/i.test(String(value))',
  ],
  [
    'number-of-a-prefix',
    'EV-78',
    "typeof value === 'number' || DECIMAL.test(String(value)) ? Number(value) : NaN;",
    "typeof value === 'boolean' ? NaN : parseFloat(String(value));",
  ],
  [
    'number-of-booleans',
    'EV-78',
    "const number = typeof value === 'number' ||",
    "const number = typeof value === 'number' || typeof value === 'boolean' ||",
  ],
  [
    'number-not-of-texts',
    'EV-77',
    "typeof value === 'number' || DECIMAL.test(String(value))",
    "typeof value === 'number'",
  ],
  ['number-infinite', 'EV-79', 'Number.isFinite(number) ? number : NaN', 'number'],
  ['number-int32', 'EV-79', '? Number(value) : NaN;', '? Math.trunc(Number(value)) : NaN;'],
  ['number-float32', 'EV-79', '? Number(value) : NaN;', '? Math.fround(Number(value)) : NaN;'],
  [
    'number-safe',
    'EV-79',
    '? Number(value) : NaN;',
    '&& Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? Number(value) : NaN;',
  ],
  [
    'number-exact',
    'EV-79',
    'boolean => toNumber(value) > bound;',
    "boolean => /^\\d+$/.test(String(value)) && typeof value === 'string' ? BigInt(value) > bound : toNumber(value) > bound;",
  ],
  [
    'list-of-a-scalar',
    'EV-64',
    `Array.isArray(value) ? ${LIST}`,
    'Array.isArray(value) || isScalar(value) ? new Set([value].flat().filter(isScalar).map(String))',
  ],
  ['list-with-null', 'EV-66', LIST, 'new Set(value.map(String))'],
  ['list-of-texts', 'EV-69', LIST, "new Set(value.filter((item) => typeof item === 'string'))"],
  [
    'list-without-booleans',
    'EV-69',
    LIST,
    "new Set(value.filter((item) => isScalar(item) && typeof item !== 'boolean').map(String))",
  ],
  [
    'list-folds-case',
    'EV-71',
    LIST,
    'new Set(value.filter(isScalar).map((item) => String(item).toLowerCase()))',
  ],
  ['list-trims', 'EV-71', LIST, 'new Set(value.filter(isScalar).map((item) => String(item).trim()))'],
  [
    'list-empty-is-invalid',
    'EV-75',
    'Array.isArray(value) ? new Set',
    'Array.isArray(value) && value.length ? new Set',
  ],
  [
    'list-unusable-is-invalid',
    'EV-66',
    'Array.isArray(value) ? new Set',
    'Array.isArray(value) && (!value.length || value.some(isScalar)) ? new Set',
  ],
  [
    'list-mixed-is-invalid',
    'EV-66',
    'Array.isArray(value) ? new Set',
    'Array.isArray(value) && value.every(isScalar) ? new Set',
  ],
  ['list-flattened', 'EV-66', LIST, 'new Set(value.flat().filter(isScalar).map(String))'],
  ['list-first-only', 'operator-one-of', LIST, 'new Set(value.slice(0, 1).filter(isScalar).map(String))'],
  [
    'list-but-the-last',
    'operator-one-of',
    LIST,
    'new Set(value.slice(0, Math.max(1, value.length - 1)).filter(isScalar).map(String))',
  ],
  [
    'list-split-at-commas',
    'operator-one-of',
    LIST,
    "new Set(value.filter(isScalar).flatMap((item) => String(item).split(',')))",
  ],
  [
    'scalar-of-an-array',
    'EV-64',
    SCALAR,
    '((one) => isScalar(one) ? parse(String(one)) : undefined)(Array.isArray(value) ? value[0] : value);',
  ],
  [
    'scalar-of-text-only',
    'EV-69',
    'scalar((text) => text);',
    "(value: unknown) => (typeof value === 'string' ? value : undefined);",
  ],
  [
    'scalar-null-is-empty',
    'EV-64',
    SCALAR,
    "((one) => isScalar(one) ? parse(String(one)) : undefined)(value ?? '');",
  ],
  [
    'pattern-of-text-only',
    'EV-64',
    PATTERN,
    "(value: unknown) => (typeof value === 'string' ? remember(compilePattern(value)) : undefined);",
  ],
  ['pattern-whole-text', 'EV-87', 'compilePattern(text)', 'compilePattern(`^(?:${text})$`)'],
  ['pattern-from-the-start', 'EV-87', 'compilePattern(text)', 'compilePattern(`^(?:${text})`)'],
  [
    'pattern-native',
    'EV-108',
    'remember(compilePattern(text))',
    '(() => { try { const native = new RegExp(text); return (one: string) => native.test(one); } catch { return undefined; } })()',
  ],
  [
    'pattern-native-unicode',
    'EV-108',
    'remember(compilePattern(text))',
    "(() => { try { const native = new RegExp(text, 'u'); return (one: string) => native.test(one); } catch { return undefined; } })()",
  ],
  [
    'pattern-native-if-valid',
    'EV-108',
    'remember(compilePattern(text))',
    "compilePattern(text) && ((native) => (one: string) => native.test(one))(new RegExp(text.replace(/^\\(\\?([ims]+)\\)/, ''), [...new Set(/^\\(\\?([ims]+)\\)/.exec(text)?.[1] ?? '')].join('')))",
  ],
  [
    'pattern-native-if-valid-unicode',
    'EV-108',
    'remember(compilePattern(text))',
    "compilePattern(text) && ((native) => (one: string) => native.test(one))(new RegExp(text.replace(/^\\(\\?([ims]+)\\)/, ''), `u${[...new Set(/^\\(\\?([ims]+)\\)/.exec(text)?.[1] ?? '')].join('')}`))",
  ],
  [
    'version-of-numbers',
    'EV-83',
    VERSION,
    'isScalar(value) ? remember(compareVersion(String(value), isAbove))',
  ],
  [
    'version-of-number-attributes',
    'EV-83',
    "typeof value === 'string' && matches(value)",
    'matches(textOf(value))',
  ],
  [
    'version-gt-lt-swapped',
    'operator-version-gt',
    'compareVersion(value, isAbove)',
    'compareVersion(value, !isAbove)',
  ],
  [
    'pattern-asks-texts-only',
    'EV-69',
    'boolean => matches(textOf(value));',
    "boolean => typeof value === 'string' && matches(value);",
  ],
  ['operator-folds-case', 'EV-63', FOUND, FOUND.replaceAll('operator', 'operator.toLowerCase()')],
  ['operator-trims', 'EV-63', FOUND, FOUND.replaceAll('operator', 'operator.trim()')],
  ['operator-unknown-matches', 'EV-63', 'test: () => false', 'test: () => true'],
  ['operator-unknown-is-is', 'EV-63', FOUND, FOUND.replace('NEVER', 'OPERATIONS.is')],
  [
    'negative-as-positive',
    'operator-is-not',
    USABLE,
    'const { test } = isUsable ? operation : NEVER;\n    const isNegative = false;',
    { file: 'conditions.ts' },
  ],
  [
    'negative-of-invalid-matches',
    'EV-64',
    USABLE,
    'const { test } = isUsable ? operation : NEVER;\n    const { isNegative = false } = operation;',
    { file: 'conditions.ts' },
  ],
  [
    'invalid-lists-match',
    'EV-64',
    USABLE,
    "const { test, isNegative = false } = isUsable || operator.endsWith('one_of') ? operation : NEVER;",
    { file: 'conditions.ts' },
  ],
]);
