import { mutantsOf } from '../mutant.ts';

const EQUAL = 'boolean => textOf(value) === text;';
const LISTED = 'texts.has(textOf(value))';
const FOUND = 'return (text) => text.includes(part);';
const GREATER = 'boolean => toNumber(value) > bound;';
const LESS = 'boolean => toNumber(value) < bound;';

/** Defects in the tests of single operators. */
export const operatorMutants = mutantsOf('operators.ts', [
  ['is-folds-case', 'EV-71', EQUAL, 'boolean => textOf(value).toLowerCase() === text.toLowerCase();'],
  ['is-trims', 'EV-71', EQUAL, 'boolean => textOf(value).trim() === text.trim();'],
  ['is-normalizes', 'EV-71', EQUAL, 'boolean => textOf(value).normalize() === text.normalize();'],
  [
    'is-normalizes-compatibly',
    'EV-71',
    EQUAL,
    "boolean => textOf(value).normalize('NFKC') === text.normalize('NFKC');",
  ],
  ['is-collates', 'EV-71', EQUAL, 'boolean => textOf(value).localeCompare(text) === 0;'],
  [
    'is-loose-numbers',
    'EV-69',
    EQUAL,
    "boolean => textOf(value) === text || (textOf(value) !== '' && Number(value) === Number(text));",
  ],
  ['is-prefix', 'operator-is', EQUAL, 'boolean => textOf(value).startsWith(text);'],
  ['is-contains', 'operator-is', EQUAL, 'boolean => textOf(value).includes(text);'],
  ['is-wild', 'operator-is', EQUAL, "boolean => text === '*' || textOf(value) === text;"],
  ['is-to-nul', 'EV-71', EQUAL, "boolean => textOf(value).split('\\0')[0] === text.split('\\0')[0];"],
  [
    'one-of-folds-case',
    'EV-71',
    LISTED,
    '[...texts].some((item) => item.toLowerCase() === textOf(value).toLowerCase())',
  ],
  ['one-of-contains', 'operator-one-of', LISTED, '[...texts].some((item) => textOf(value).includes(item))'],
  ['one-of-attribute-trims', 'EV-71', LISTED, 'texts.has(textOf(value).trim())'],
  ['contains-prefix', 'operator-contains', FOUND, 'return (text) => text.startsWith(part);'],
  ['contains-suffix', 'operator-contains', FOUND, 'return (text) => text.endsWith(part);'],
  ['contains-equal', 'operator-contains', FOUND, 'return (text) => text === part;'],
  ['contains-reversed', 'operator-contains', FOUND, 'return (text) => part.includes(text);'],
  [
    'contains-folds-case',
    'EV-71',
    FOUND,
    'return (text) => text.toLowerCase().includes(part.toLowerCase());',
  ],
  ['contains-normalizes', 'EV-71', FOUND, 'return (text) => text.normalize().includes(part.normalize());'],
  ['contains-pattern', 'operator-contains', FOUND, 'return (text) => new RegExp(part).test(text);'],
  ['contains-not-at-start', 'operator-contains', FOUND, 'return (text) => text.indexOf(part) > 0;'],
  ['contains-not-empty', 'EV-74', FOUND, "return (text) => part !== '' && text.includes(part);"],
  ['contains-not-in-empty', 'EV-74', FOUND, "return (text) => text !== '' && text.includes(part);"],
  ['contains-trims', 'EV-71', FOUND, 'return (text) => text.includes(part.trim());'],
  [
    'contains-texts-only',
    'EV-69',
    '  contains: { parse: parsePart, test: matchesText }',
    '  contains: { parse: parsePart, test: matchesVersion }',
  ],
  [
    'contains-halves',
    'EV-71',
    'return (text) => spaced(text).includes(spacedPart);',
    'return (text) => text.includes(part);',
  ],
  ['contains-no-high-halves', 'EV-71', '/[\\ud800-\\udfff]/u', '/^[\\udc00-\\udfff]/'],
  ['contains-no-low-halves', 'EV-71', '/[\\ud800-\\udfff]/u', '/[\\ud800-\\udbff]$/'],
  ['gt-or-equal', 'operator-gt', GREATER, 'boolean => toNumber(value) >= bound;'],
  ['lt-or-equal', 'operator-lt', LESS, 'boolean => toNumber(value) <= bound;'],
  ['gt-is-lt', 'operator-gt', GREATER, 'boolean => toNumber(value) < bound;'],
  ['lt-is-gt', 'operator-lt', 'boolean => toNumber(value) < bound;', GREATER],
  ['gt-of-texts', 'operator-gt', GREATER, 'boolean => String(value) > String(bound);'],
  ['gt-not-lt', 'EV-78', GREATER, 'boolean => !(toNumber(value) <= bound);'],
  ['lt-not-gt', 'EV-78', LESS, 'boolean => !(toNumber(value) >= bound);'],
  ['gt-with-tolerance', 'operator-gt', GREATER, 'boolean => toNumber(value) - bound > 1e-9;'],
  [
    'gt-of-negative-zero',
    'EV-60',
    'scalar(toNumber);',
    '(value: unknown) => Object.is(value, -0) ? -Number.MIN_VALUE : isScalar(value) ? toNumber(value) : undefined;',
  ],
  [
    'remembered-by-length',
    'eval-deterministic',
    'let answer = known.get(text);',
    'let answer = known.get((text = text.slice(0, 100)));',
  ],
  [
    'remembered-first',
    'eval-deterministic',
    'if (answer === undefined) {',
    'for (const [, other] of known) return other;\n    if (answer === undefined) {',
  ],
  [
    'remembered-for-ever',
    'eval-deterministic',
    'if (known.size >= KNOWN_TEXTS) known.clear();',
    '',
    { equivalent: 'It costs memory, but changes no result.' },
  ],
]);

/** Defects in how conditions treat lists and missing values. */
export const valueMutants = mutantsOf('conditions.ts', [
  ['list-attribute-unknown', 'EV-60', 'if (!Array.isArray(value)) return false;', 'return false;'],
  [
    'list-attribute-as-text',
    'EV-60',
    'if (!Array.isArray(value)) return false;',
    'if (Array.isArray(value)) return testScalar(condition, String(value)) !== isNegative;\n  if (!Array.isArray(value)) return false;',
  ],
  [
    'list-attribute-first',
    'EV-62',
    'for (let i = 0; i < value.length; i++)\n',
    'for (let i = 0; i < Math.min(1, value.length); i++)\n',
  ],
  [
    'list-attribute-all',
    'EV-62',
    'return !isNegative;\n  return isNegative;',
    'continue; else if (isScalar(value[i])) return isNegative;\n  return !isNegative;',
  ],
  [
    'list-attribute-negative-any',
    'EV-61',
    'testScalar(condition, value[i])) return !isNegative;\n  return isNegative;',
    'testScalar(condition, value[i]) !== isNegative) return true;\n  return isNegative && !value.some(isScalar);',
  ],
  [
    'list-attribute-empty-negative',
    'EV-61',
    'return !isNegative;\n  return isNegative;',
    'return !isNegative;\n  return isNegative && value.length > 0;',
  ],
  [
    'list-attribute-unusable-negative',
    'EV-61',
    'return !isNegative;\n  return isNegative;',
    'return !isNegative;\n  return isNegative && (!value.length || value.some(isScalar));',
  ],
  [
    'list-attribute-flattened',
    'EV-60',
    'for (let i = 0; i < value.length; i++)\n',
    'value = value.flat(Infinity);\n  for (let i = 0; i < (value as unknown[]).length; i++)\n',
  ],
  [
    'list-attribute-of-texts',
    'EV-60',
    'if (isScalar(value[i]) && testScalar',
    "if (typeof value[i] === 'string' && testScalar",
  ],
  [
    'list-attribute-with-null',
    'EV-62',
    'if (isScalar(value[i]) && testScalar',
    'if (!Array.isArray(value[i]) && testScalar',
  ],
  [
    'missing-matches-negative',
    'EV-54',
    'if (!Array.isArray(value)) return false;',
    'if (!Array.isArray(value)) return isNegative;',
  ],
  [
    'infinite-matches-negative',
    'EV-56',
    'if (!Array.isArray(value)) return false;',
    "if (typeof value === 'number') return isNegative;\n  if (!Array.isArray(value)) return false;",
  ],
  [
    'absent-matches-negative',
    'EV-54',
    'if (!Array.isArray(value)) return false;',
    'if (value === undefined) return isNegative;\n  if (!Array.isArray(value)) return false;',
  ],
  [
    'null-matches-negative',
    'EV-54',
    'if (!Array.isArray(value)) return false;',
    'if (value === null) return isNegative;\n  if (!Array.isArray(value)) return false;',
  ],
  [
    'object-matches-negative',
    'EV-54',
    'if (!Array.isArray(value)) return false;',
    "if (typeof value === 'object' && value && !Array.isArray(value)) return isNegative;\n  if (!Array.isArray(value)) return false;",
  ],
]);
