import { patternFault } from '@flagsvc/sdk-core';
import { createProbe } from '../../targeting/probe.ts';
import {
  type Audience,
  allOf,
  anyOf,
  between,
  exactly,
  isExact,
  NOBODY,
  noneOf,
  UNKNOWN,
} from '../elsewhere/audience.ts';
import { number, oneOf, pattern, present, version, versionPattern } from '../elsewhere/comparisons.ts';
import { asNumber, isScalar } from '../elsewhere/fields.ts';
import { toKey } from '../elsewhere/keys.ts';
import type { Loss } from '../elsewhere/loss.ts';
import type { SegmentBook } from '../elsewhere/segment-book.ts';
import { foldedPattern, foldsAlike } from '../elsewhere/text-patterns.ts';
import { nameOf } from '../elsewhere/variations.ts';

/** A list of values under a name. */
export interface SavedGroup {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Which attribute it lists; only the REST API says it. */
  readonly attribute?: string | undefined;
  /** A group may be a condition instead of a list. */
  readonly condition?: unknown;
}

/** An attribute, and what its conditions can refer to. */
export interface FieldScope {
  readonly attribute: string;
  readonly path: string;
  readonly book: SegmentBook;
  readonly groups: ReadonlyMap<string, SavedGroup>;
  readonly lose: (loss: Loss) => void;
  /** The condition is on the elements of a list, which are never missing. */
  readonly isElement?: boolean;
}

export const notPresent = (attribute: string, book: SegmentBook): Audience =>
  noneOf(exactly([[present(attribute)]]), book);

/** The users whose attribute satisfies one operator. A missing attribute is null there, and satisfies some. */
export function readOperator(name: string, operand: unknown, scope: FieldScope): Audience {
  const { attribute, book, groups } = scope;
  switch (name) {
    case '$eq':
      return readEqual([operand], scope);
    case '$ne':
      return noneOf(readEqual([operand], scope), book);
    case '$in':
      return Array.isArray(operand) ? readEqual(operand, scope) : NOBODY;
    case '$nin':
      return Array.isArray(operand) ? noneOf(readEqual(operand, scope), book) : NOBODY;
    case '$ini':
      return Array.isArray(operand) ? readFolded(operand, scope) : NOBODY;
    case '$nini':
      return Array.isArray(operand) ? noneOf(readFolded(operand, scope), book) : NOBODY;
    case '$inGroup':
      return readGroup(groups.get(String(operand)), scope);
    case '$notInGroup':
      return noneOf(readGroup(groups.get(String(operand)), scope), book);
    case '$exists':
      return operand ? exactly([[present(attribute)]]) : notPresent(attribute, book);
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return readOrder(name, operand, scope);
    case '$regex':
    case '$regexi':
      return readPattern(operand, name === '$regexi', scope);
    case '$veq':
    case '$vne':
    case '$vgt':
    case '$vgte':
    case '$vlt':
    case '$vlte':
      return readVersion(name, operand, scope);
    case '$type':
      if (operand === 'null') return notPresent(attribute, book);
      return unknownOperator(`${name} ${String(operand)}`, scope);
    default:
      return unknownOperator(name, scope);
  }
}

function unknownOperator(name: string, { path, lose }: FieldScope): Audience {
  lose({
    code: 'rule-left-out',
    path,
    message: `A condition has the operator ${name.slice(0, 60)} in a form that has no counterpart here.`,
    remedy: 'Express the condition with another operator in GrowthBook, or add the rule by hand.',
  });
  return UNKNOWN;
}

function readEqual(values: readonly unknown[], scope: FieldScope): Audience {
  const { attribute, book } = scope;
  const scalars = oneOf(attribute, values.filter(isScalar));
  const equal = values.includes(null) ? anyOf([scalars, notPresent(attribute, book)]) : scalars;
  if (values.every((one) => isScalar(one) || one === null)) return equal;
  // Objects are compared by identity, so that no attribute equals one.
  return equal;
}

/** Texts of any letter case. */
function readFolded(values: readonly unknown[], scope: FieldScope): Audience {
  const { attribute } = scope;
  const texts = values.filter((one): one is string => typeof one === 'string' && one !== '');
  const others = values.filter((one) => typeof one !== 'string' || one === '');
  const folded = texts.map((one) => pattern(attribute, `^${foldedPattern(one)}$`));
  return anyOf([...folded, readEqual(others, scope)]);
}

function readGroup(group: SavedGroup | undefined, { attribute, book }: FieldScope): Audience {
  if (group === undefined) return NOBODY;
  const members = oneOf(attribute, group.values.filter(isScalar));
  const [conditions, ...others] = members.sure;
  if (!isExact(members) || conditions === undefined || others.length > 0) return members;
  const key = book.define({
    key: toKey(group.name),
    name: nameOf(group.name) ?? toKey(group.name),
    conditions: [...conditions],
  });
  return exactly([[{ attribute: '$segment', operator: 'one_of', value: [key] }]]);
}

/** JavaScript's comparison, for numbers. It reads a missing attribute as 0. */
function readOrder(name: string, operand: unknown, scope: FieldScope): Audience {
  const { attribute, book, isElement = false } = scope;
  const limit = asNumber(operand);
  if (limit === undefined) return unknownOperator(`${name} with a value that is not a number`, scope);
  const compared = number(attribute, name.startsWith('$g') ? 'gt' : 'lt', {
    limit,
    orEqual: name.endsWith('e'),
  });
  const zero = { $gt: 0 > limit, $gte: 0 >= limit, $lt: 0 < limit, $lte: 0 <= limit }[name] ?? false;
  return zero && !isElement ? anyOf([compared, notPresent(attribute, book)]) : compared;
}

function readPattern(operand: unknown, ignoreCase: boolean, scope: FieldScope): Audience {
  const { attribute, book, path, lose, isElement = false } = scope;
  const source =
    typeof operand === 'string' ? `${ignoreCase ? '(?i)' : ''}${operand.replaceAll('\\/', '/')}` : '';
  if (source === '' || patternFault(source) >= 0 || (ignoreCase && !foldsAlike(source))) {
    lose({
      code: 'rule-left-out',
      path,
      message: `A condition has the regular expression ${String(operand).slice(0, 100)}, which is outside the dialect of matches_regex.`,
      remedy: 'Rewrite the pattern without look-around, back-references and named groups.',
    });
    return UNKNOWN;
  }
  const found = pattern(attribute, source);
  // GrowthBook searches the text "null" when the attribute is missing.
  const isInNull = createProbe('matches_regex', source)('null');
  return isInNull && !isElement ? anyOf([found, notPresent(attribute, book)]) : found;
}

const NUMBER = '(0|[1-9]\\d{0,4})';
/** Versions that GrowthBook's comparison of padded texts and semantic versions order alike. */
const FORM = `^v?${NUMBER}\\.${NUMBER}\\.${NUMBER}(-[A-Za-z][0-9A-Za-z]*(\\.${NUMBER})?)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$`;
const isOfForm = createProbe('matches_regex', FORM);

function readVersion(name: string, operand: unknown, scope: FieldScope): Audience {
  const { attribute, book, path, lose } = scope;
  if (typeof operand !== 'string' || !isOfForm(operand)) {
    return unknownOperator(`${name} with a version that is not of the form 1.2.3`, scope);
  }
  const plain = operand.replace(/^v/, '');
  const exact = versionPattern(plain, false);
  const equal = exact === undefined ? UNKNOWN : pattern(attribute, exact.replace('^', '^v?'));
  lose({
    code: 'rule-narrowed',
    path,
    message: `A condition compares ${attribute} as a version. Here a version has the form 1.2.3; users with another text get the default variation.`,
    remedy: `Send ${attribute} with all three numbers.`,
  });
  const form = pattern(attribute, FORM);
  const odd = allOf([exactly([[present(attribute)]]), noneOf(form, book)]);
  const unclear = (found: Audience): Audience => between(found.sure, [...found.possible, ...odd.possible]);
  if (name === '$veq') return unclear(equal);
  if (name === '$vne') return noneOf(unclear(equal), book);
  const side = name.startsWith('$vg') ? 'version_gt' : 'version_lt';
  const beyond = allOf([form, version(attribute, side, plain)]);
  const inForm = name.endsWith('e') ? anyOf([beyond, equal]) : beyond;
  // A missing attribute is version 0 there, below every other.
  return unclear(name.startsWith('$vl') ? anyOf([inForm, notPresent(attribute, book)]) : inForm);
}
