import { patternFault } from '@flagsvc/sdk-core';
import { createProbe } from '../../targeting/probe.ts';
import {
  type Audience,
  allOf,
  anyOf,
  between,
  EVERYONE,
  exactly,
  isExact,
  NOBODY,
  noneOf,
  UNKNOWN,
} from '../elsewhere/audience.ts';
import { number, oneOf, pattern, present, version, versionPattern } from '../elsewhere/comparisons.ts';
import { asFields, asList, asNumber, isScalar } from '../elsewhere/fields.ts';
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

export type ConditionScope = Omit<FieldScope, 'attribute'>;

/** The users for whom a condition of GrowthBook is true. */
export function readCondition(condition: unknown, scope: ConditionScope): Audience {
  const entries = Object.entries(asFields(condition) ?? {});
  return allOf(entries.map(([name, value]) => readEntry(name, value, scope)));
}

function readEntry(name: string, value: unknown, scope: ConditionScope): Audience {
  const each = () => asList(value).map((one) => readCondition(one, scope));
  // An empty $or is true.
  const any = (): Audience => (asList(value).length === 0 ? EVERYONE : anyOf(each()));
  switch (name) {
    case '$or':
      return any();
    case '$nor':
      return noneOf(any(), scope.book);
    case '$and':
      return allOf(each());
    case '$not':
      return noneOf(readCondition(value, scope), scope.book);
    case '$savedGroup':
      return readSavedGroup(String(value), scope);
    default: {
      const attribute = attributeFor(name, scope);
      return attribute === undefined ? UNKNOWN : readValue(value, { ...scope, attribute });
    }
  }
}

/** A group that a rule names without saying which attribute it lists. */
function readSavedGroup(id: string, scope: ConditionScope): Audience {
  const group = scope.groups.get(id);
  if (group?.condition !== undefined) return readCondition(group.condition, scope);
  if (group?.attribute !== undefined) return readEntry(group.attribute, { $inGroup: id }, scope);
  scope.lose({
    code: 'segment-left-out',
    path: scope.path,
    message: `The file does not say who is in the saved group ${id}. Its users get the default variation.`,
    remedy: 'Add the answer of GET /api/v1/saved-groups to the file, as "savedGroups", and import again.',
  });
  return UNKNOWN;
}

/** Our attribute for one of GrowthBook, where a dot leads into a nested object. */
export function attributeFor(
  name: string,
  { path, lose }: Pick<ConditionScope, 'path' | 'lose'>,
): string | undefined {
  if (name === 'id') return 'user_key';
  if (name === '' || name === 'user_key' || name.startsWith('$') || name.length > 200) {
    lose({
      code: 'rule-left-out',
      path,
      message: `A condition has ${name === '' ? 'no attribute' : name.slice(0, 60)}, which cannot be an attribute here.`,
      remedy: 'Send the attribute under another name, and add the rule by hand.',
    });
    return undefined;
  }
  if (name.includes('.')) {
    lose({
      code: 'path-read-as-name',
      path,
      message: `Here contexts are flat: ${name} is the name of one attribute, not a path into an object.`,
      remedy: `Send an attribute named ${name}, dots included.`,
    });
  }
  return name;
}

/** The users whose attribute compares with a value, or satisfies an object of operators. */
export function readValue(value: unknown, scope: FieldScope): Audience {
  const { attribute, book, path, lose } = scope;
  if (value === null) return notPresent(attribute, book);
  if (isScalar(value)) {
    const equal = oneOf(attribute, [value]);
    // A missing attribute is null, which GrowthBook compares as the text "null" and as the number 0.
    return value === 'null' || value === 0 ? anyOf([equal, notPresent(attribute, book)]) : equal;
  }
  const operators = asFields(value);
  const entries = Object.entries(operators ?? {});
  if (operators === undefined || entries.length === 0 || !entries.every(([name]) => name.startsWith('$'))) {
    lose({
      code: 'rule-left-out',
      path,
      message: `A condition compares ${attribute} with a whole list or object. Here conditions compare single values.`,
      remedy: 'Compare with $in, or with an attribute inside the object.',
    });
    return between([], [[present(attribute)]]);
  }
  return allOf(entries.map(([name, operand]) => readOne(name, operand, scope)));
}

function readOne(name: string, operand: unknown, scope: FieldScope): Audience {
  if (name === '$not') return noneOf(readValue(operand, scope), scope.book);
  if (name === '$all' || name === '$alli') {
    const isPlain = asList(operand).every(isScalar) && Array.isArray(operand);
    if (!isPlain || name === '$alli') return readOperator(name, operand, scope);
    return asList(operand).length === 0
      ? exactly([[present(scope.attribute)]])
      : allOf(asList(operand).map((one) => oneOf(scope.attribute, isScalar(one) ? [one] : [])));
  }
  if (name === '$elemMatch') return readElement(operand, scope);
  return readOperator(name, operand, scope);
}

/** Operators that are true for a list if they are true for one of its elements, here as there. */
const BY_ELEMENT: ReadonlySet<string> = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$regex']);

function readElement(operand: unknown, scope: FieldScope): Audience {
  const [entry, ...others] = Object.entries(asFields(operand) ?? {});
  // Two operators must be true for the same element, which conditions on a list cannot say.
  const isSimple = entry !== undefined && others.length === 0 && BY_ELEMENT.has(entry[0]);
  const found = isSimple ? readOperator(entry[0], entry[1], { ...scope, isElement: true }) : undefined;
  return found ?? readOperator('$elemMatch', operand, scope);
}

const notPresent = (attribute: string, book: SegmentBook): Audience =>
  noneOf(exactly([[present(attribute)]]), book);

/** The users whose attribute satisfies one operator. A missing attribute is null there, and satisfies some. */
function readOperator(name: string, operand: unknown, scope: FieldScope): Audience {
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
