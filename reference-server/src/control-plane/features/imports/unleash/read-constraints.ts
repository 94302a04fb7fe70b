import { patternFault } from '@flagsvc/sdk-core';
import ipaddr from 'ipaddr.js';
import {
  type Alternatives,
  type Audience,
  allOf,
  anyOf,
  between,
  exactly,
  NOBODY,
  noneOf,
  UNKNOWN,
} from '../elsewhere/audience.ts';
import {
  affix,
  DECIMAL,
  number,
  oneOf,
  pattern,
  present,
  version,
  versionParts,
  versionPattern,
} from '../elsewhere/comparisons.ts';
import { asFields, asList, asText, type Fields } from '../elsewhere/fields.ts';
import type { Loss } from '../elsewhere/loss.ts';
import type { SegmentBook } from '../elsewhere/segment-book.ts';
import { foldsAlike } from '../elsewhere/text-patterns.ts';

export interface ConstraintScope {
  readonly path: string;
  readonly book: SegmentBook;
  readonly lose: (loss: Loss) => void;
}

/** The users for whom all constraints hold. */
export function readConstraints(constraints: unknown, scope: ConstraintScope): Audience {
  return allOf(
    asList(constraints).map((one, index) =>
      readConstraint(asFields(one) ?? {}, { ...scope, path: `${scope.path}.${index}` }),
    ),
  );
}

function readConstraint(constraint: Fields, scope: ConstraintScope): Audience {
  const { book, path, lose } = scope;
  const field = asText(constraint['contextName']) ?? '';
  const attribute = attributeFor(field);
  const operator = asText(constraint['operator']) ?? '';
  if (attribute === undefined) {
    lose({
      code: 'rule-left-out',
      path,
      message: `A constraint reads the context field ${field || '(none)'}, a name that cannot be used here.`,
      remedy: 'Send the field under another name, and add the rule by hand.',
    });
    return UNKNOWN;
  }
  const found = readOperator(operator, constraint, { attribute, scope });
  const isNegative = (operator === 'NOT_IN') !== (constraint['inverted'] === true);
  return isNegative ? noneOf(found, book) : found;
}

/** Our attribute for a field of Unleash's context. */
export function attributeFor(field: string): string | undefined {
  if (field === 'userId') return 'user_key';
  const isUsable = field !== '' && field !== 'user_key' && !field.startsWith('$') && field.length <= 200;
  return isUsable ? field : undefined;
}

interface OperatorScope {
  readonly attribute: string;
  readonly scope: ConstraintScope;
}

const PLACES = { STR_STARTS_WITH: 'start', STR_ENDS_WITH: 'end', STR_CONTAINS: 'anywhere' } as const;

/** The users whose field compares with the values, before the constraint is inverted. */
function readOperator(operator: string, constraint: Fields, at: OperatorScope): Audience {
  const { attribute, scope } = at;
  const values = asList(constraint['values'])
    .filter((one) => typeof one === 'string' && one !== '')
    .map((one) => String(one).trim());
  const value = asText(constraint['value']) ?? '';
  const ignoreCase = constraint['caseInsensitive'] === true;
  switch (operator) {
    case 'IN':
    case 'NOT_IN':
      return oneOf(attribute, values);
    case 'STR_STARTS_WITH':
    case 'STR_ENDS_WITH':
    case 'STR_CONTAINS':
      return affix(attribute, PLACES[operator], { texts: values, ignoreCase });
    case 'NUM_EQ':
    case 'NUM_GT':
    case 'NUM_GTE':
    case 'NUM_LT':
    case 'NUM_LTE':
      return readNumber(operator, value, at);
    case 'SEMVER_EQ':
    case 'SEMVER_GT':
    case 'SEMVER_GTE':
    case 'SEMVER_LT':
    case 'SEMVER_LTE':
      return readVersion(operator, value, at);
    case 'REGEX':
      return readPattern(value, ignoreCase, at);
    case 'IN_CIDR':
      return readAddresses(attribute, values, { path: scope.path, lose: scope.lose });
    case 'DATE_AFTER':
    case 'DATE_BEFORE':
      scope.lose({
        code: 'rule-left-out',
        path: scope.path,
        message: `A constraint compares the time of day with ${value.slice(0, 40)}. Here no condition depends on the clock.`,
        remedy:
          'Schedule the change instead (flagsvc schedule), or remove a date that has passed in Unleash.',
      });
      return UNKNOWN;
    default:
      scope.lose({
        code: 'rule-left-out',
        path: scope.path,
        message: `A constraint has the operator ${operator.slice(0, 40) || '(none)'}, which has no counterpart here.`,
        remedy: 'Express the constraint with another operator in Unleash, or add the rule by hand.',
      });
      return UNKNOWN;
  }
}

/**
 * Unleash reads any text as a number as JavaScript does: an empty text is 0, `0x10` is 16. Users with a text that is
 * not a plain decimal number are uncertain.
 */
function readNumber(operator: string, value: string, { attribute }: OperatorScope): Audience {
  const limit = value.trim() === '' ? 0 : Number(value);
  if (Number.isNaN(limit)) return NOBODY;
  if (!Number.isFinite(limit)) return UNKNOWN;
  const decimal = exactly([[{ attribute, operator: 'matches_regex', value: DECIMAL }]]);
  const side = operator.startsWith('NUM_G') ? 'gt' : 'lt';
  const compared =
    operator === 'NUM_EQ'
      ? equalNumber(attribute, limit)
      : operator.endsWith('E')
        ? anyOf([number(attribute, side, { limit, orEqual: false }), equalNumber(attribute, limit)])
        : number(attribute, side, { limit, orEqual: false });
  const odd: Alternatives = [[notDecimal(attribute)]];
  return between(
    allOf([decimal, compared]).sure,
    compared === UNKNOWN ? [[]] : [...compared.possible, ...odd],
  );
}

/** All plain decimal texts of a number: 5, 5.0, +05. */
function equalNumber(attribute: string, limit: number): Audience {
  const text = String(Math.abs(limit));
  if (!/^\d+(\.\d+)?$/.test(text)) return exactly([[{ attribute, operator: 'is', value: limit }]]);
  const [whole = '0', fraction] = text.split('.');
  const tail = fraction === undefined ? '(\\.0+)?' : `\\.${fraction}0*`;
  const sign = limit === 0 ? '[+-]?' : limit < 0 ? '-' : '\\+?';
  return pattern(attribute, `^${sign}0*${whole}${tail}$`);
}

/** Not a plain decimal number. A class of characters says it, since conditions have no negative pattern. */
function notDecimal(attribute: string) {
  return {
    attribute,
    operator: 'matches_regex' as const,
    value: '^$|[^0-9.+-]|[+-].*[+-]|\\..*\\.|[0-9.][+-]|^[+-]?\\.?$|\\.$',
  };
}

/** Unleash reads versions with all three parts and without a leading v. */
const FULL = '^\\d+\\.\\d+\\.\\d+([+-]|$)';

function readVersion(operator: string, value: string, { attribute }: OperatorScope): Audience {
  if (versionParts(value) === undefined || !/^\d+\.\d+\.\d+/.test(value)) return UNKNOWN;
  const source = versionPattern(value, false);
  const equal = source === undefined ? UNKNOWN : pattern(attribute, source);
  const full = exactly([[{ attribute, operator: 'matches_regex', value: FULL }]]);
  const side = operator.startsWith('SEMVER_G') ? 'version_gt' : 'version_lt';
  const beyond = allOf([full, version(attribute, side, value)]);
  if (operator === 'SEMVER_EQ') return equal;
  return operator.endsWith('E') ? anyOf([beyond, equal]) : beyond;
}

const withFlag = (source: string): string => {
  const found = /^\(\?([ims]+)\)/.exec(source);
  return found === null ? `(?i)${source}` : `(?i${found[1]})${source.slice(found[0].length)}`;
};

function readPattern(value: string, ignoreCase: boolean, { attribute, scope }: OperatorScope): Audience {
  const source = ignoreCase ? withFlag(value) : value;
  if (patternFault(source) < 0 && (!ignoreCase || foldsAlike(value))) return pattern(attribute, source);
  scope.lose({
    code: 'rule-left-out',
    path: scope.path,
    message: `A constraint has the regular expression ${source.slice(0, 100)}, which is outside the dialect of matches_regex.`,
    remedy: 'Rewrite the pattern in plain regular expressions: no named groups, no \\p, no flags inside.',
  });
  return UNKNOWN;
}

/** One number of an address of version 4, as it is usually written. */
const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

interface AddressScope {
  readonly path: string;
  readonly lose: (loss: Loss) => void;
}

/** The users whose address is one of the addresses, or in one of the ranges of version 4. */
export function readAddresses(
  attribute: string,
  ranges: readonly string[],
  { path, lose }: AddressScope,
): Audience {
  const read = ranges.map((range): Audience => {
    const [first = '', prefix] = range.split('/');
    if (ipaddr.IPv4.isValidFourPartDecimal(first)) {
      const bits = prefix === undefined ? 32 : Number(prefix);
      const isRange = Number.isInteger(bits) && bits >= 0 && bits <= 32;
      const found = isRange ? rangePattern(first, bits) : undefined;
      if (found !== undefined) return bits === 32 ? oneOf(attribute, [first]) : pattern(attribute, found);
    } else if (!ipaddr.isValid(first)) {
      // Not an address: only an equal text is the same.
      return oneOf(attribute, [range]);
    }
    lose({
      code: 'rule-narrowed',
      path,
      message: `The range ${range.slice(0, 60)} cannot be expressed as a condition. Its users get the default variation.`,
      remedy: 'Decide membership in your code, and send the result as an attribute.',
    });
    return between(oneOf(attribute, [range]).sure, [[present(attribute)]]);
  });
  return anyOf(read);
}

/** A pattern for all addresses in a range, or undefined if it would be too long. */
function rangePattern(address: string, bits: number): string | undefined {
  const octets = address.split('.').map(Number);
  const parts = octets.map((octet, index) => {
    const own = Math.max(0, Math.min(8, bits - index * 8));
    if (own === 8) return String(octet);
    if (own === 0) return OCTET;
    const size = 2 ** (8 - own);
    const first = octet - (octet % size);
    return `(${Array.from({ length: size }, (_, at) => first + at).join('|')})`;
  });
  const source = `^${parts.join('\\.')}$`;
  return source.length <= 512 ? source : undefined;
}
