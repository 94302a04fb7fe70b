import type { ConditionInput } from '../../targeting/condition-schema.ts';
import {
  type Alternatives,
  type Audience,
  allOf,
  anyOf,
  between,
  EVERYONE,
  exactly,
  NOBODY,
  noneOf,
  UNKNOWN,
} from '../elsewhere/audience.ts';
import {
  affix,
  number,
  oneOf,
  pattern,
  present,
  presentAndNoneOf,
  version,
  versionParts,
  versionPattern,
} from '../elsewhere/comparisons.ts';
import {
  asFields,
  asList,
  asNumber,
  asText,
  type Fields,
  isScalar,
  type Scalar,
} from '../elsewhere/fields.ts';
import type { Loss } from '../elsewhere/loss.ts';
import type { SegmentBook } from '../elsewhere/segment-book.ts';

/** What clauses can refer to, and where their losses go. */
export interface ClauseScope {
  readonly path: string;
  readonly book: SegmentBook;
  /** The members of a segment. */
  readonly membersOf: (key: string) => Audience;
  readonly lose: (loss: Loss) => void;
}

/** The users for whom all clauses match. */
export function readClauses(clauses: unknown, scope: ClauseScope): Audience {
  return allOf(asList(clauses).map((clause) => readClause(asFields(clause) ?? {}, scope)));
}

function readClause(clause: Fields, scope: ClauseScope): Audience {
  const { op, negate } = clause;
  const values = asList(clause['values']);
  if (op === 'segmentMatch') {
    const members = anyOf(values.map((key) => (typeof key === 'string' ? scope.membersOf(key) : NOBODY)));
    return negate === true ? noneOf(members, scope.book) : members;
  }
  const attribute = attributeOf(clause, scope);
  if (attribute === undefined) return UNKNOWN;
  if (attribute === 'kind') return readKind(values, negate === true, scope);
  const positive = anyOf(values.map((value) => readValue(String(op), value, { attribute, scope })));
  if (negate !== true) return op === 'in' ? oneOf(attribute, values.filter(isScalar)) : positive;
  if (op === 'in') return presentAndNoneOf(attribute, values.filter(isScalar));
  // A negated clause, too, is false for a user without the attribute.
  return allOf([exactly([[present(attribute)]]), noneOf(positive, scope.book)]);
}

/** The kind of a context. Here every context is a user. */
function readKind(values: readonly unknown[], isNegated: boolean, scope: ClauseScope): Audience {
  scope.lose({
    code: 'rule-narrowed',
    path: scope.path,
    message: 'A clause tests the kind of the context. Here every context is a user.',
    remedy:
      'Check who the rule should reach, and remove the clause in LaunchDarkly or correct the rule here.',
  });
  const others = between([], [[]]);
  if (isNegated) return values.includes('user') ? NOBODY : others;
  return values.length === 1 && values[0] === 'user' ? EVERYONE : others;
}

/** The attribute of ours that a clause reads; undefined, with a loss, for an invalid reference. */
export function attributeOf(fields: Fields, scope: Pick<ClauseScope, 'path' | 'lose'>): string | undefined {
  const kind = asText(fields['contextKind']);
  const reference = asText(fields['attribute']) ?? '';
  const path = pathOf(reference, kind !== undefined);
  if (path === undefined) return lostAttribute(reference, scope);
  const [name = '', ...inner] = path;
  if (kind !== undefined && kind !== 'user') {
    return named([kind, ...path].join('.'), `${path.join('/')} of the context kind ${kind}`, scope);
  }
  if (inner.length > 0) return named(path.join('.'), `/${path.join('/')}`, scope);
  if (name === 'key') return 'user_key';
  return name === 'user_key' ? lostAttribute(name, scope) : checkedName(name, scope);
}

/** The names that lead to an attribute. A clause without a context kind is of the time before references with slashes. */
function pathOf(reference: string, isReference: boolean): readonly string[] | undefined {
  if (!isReference || !reference.startsWith('/')) return reference === '' ? undefined : [reference];
  const parts = reference.slice(1).split('/');
  return parts.some((part) => part === '' || /~(?![01])/.test(part)) ? undefined : parts.map(unescapeName);
}

const unescapeName = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function named(
  attribute: string,
  what: string,
  scope: Pick<ClauseScope, 'path' | 'lose'>,
): string | undefined {
  scope.lose({
    code: 'path-read-as-name',
    path: scope.path,
    message: `Here contexts are flat: ${what} is read from the attribute ${attribute}.`,
    remedy: `Send an attribute named ${attribute}, dots included. Without it, the rule does not match.`,
  });
  return checkedName(attribute, scope);
}

function checkedName(attribute: string, scope: Pick<ClauseScope, 'path' | 'lose'>): string | undefined {
  return attribute.startsWith('$') || attribute.length > 200 ? lostAttribute(attribute, scope) : attribute;
}

function lostAttribute(name: string, { path, lose }: Pick<ClauseScope, 'path' | 'lose'>): undefined {
  lose({
    code: 'rule-left-out',
    path,
    message: `A clause reads ${name === '' ? 'no attribute' : `the attribute ${name}, a name that cannot be used here`}.`,
    remedy: 'Correct the clause in LaunchDarkly, or add the rule by hand.',
  });
  return undefined;
}

interface ValueScope {
  readonly attribute: string;
  readonly scope: ClauseScope;
}

/** The users whose attribute compares with one value. */
function readValue(op: string, value: unknown, { attribute, scope }: ValueScope): Audience {
  switch (op) {
    case 'in':
      return isScalar(value) ? oneOf(attribute, [value]) : NOBODY;
    case 'startsWith':
      return typeof value === 'string' ? affix(attribute, 'start', { texts: [value] }) : NOBODY;
    case 'endsWith':
      return typeof value === 'string' ? affix(attribute, 'end', { texts: [value] }) : NOBODY;
    case 'contains':
      return typeof value === 'string' ? affix(attribute, 'anywhere', { texts: [value] }) : NOBODY;
    case 'matches':
      return typeof value === 'string' ? readPattern(attribute, value, scope) : NOBODY;
    case 'lessThan':
    case 'lessThanOrEqual':
    case 'greaterThan':
    case 'greaterThanOrEqual':
      return readNumber(op, value, attribute);
    case 'before':
    case 'after':
      return readDate(op, value, { attribute, scope });
    case 'semVerEqual':
    case 'semVerLessThan':
    case 'semVerGreaterThan':
      return typeof value === 'string' ? readVersion(op, value, attribute) : NOBODY;
    default:
      lostOperator(op, scope);
      return UNKNOWN;
  }
}

function readPattern(attribute: string, source: string, scope: ClauseScope): Audience {
  const found = pattern(attribute, source);
  if (found !== UNKNOWN) return found;
  scope.lose({
    code: 'rule-left-out',
    path: scope.path,
    message: `A clause has the regular expression ${source.slice(0, 100)}, which is outside the dialect of matches_regex.`,
    remedy: 'Rewrite the pattern without look-around, back-references and named groups.',
  });
  return UNKNOWN;
}

function readNumber(op: string, value: unknown, attribute: string): Audience {
  const limit = asNumber(value);
  if (limit === undefined) return NOBODY;
  return number(attribute, op.startsWith('less') ? 'lt' : 'gt', { limit, orEqual: op.endsWith('OrEqual') });
}

/** RFC 3339. */
const DATE = '^\\d{4}-\\d{2}-\\d{2}[Tt]';

/** A date is a number of milliseconds or a text. Ours are numbers, so users with a text are uncertain. */
function readDate(op: string, value: unknown, { attribute, scope }: ValueScope): Audience {
  const limit = typeof value === 'string' ? Date.parse(value) : (asNumber(value) ?? Number.NaN);
  if (Number.isNaN(limit)) return NOBODY;
  scope.lose({
    code: 'rule-narrowed',
    path: scope.path,
    message: `A clause compares ${attribute} as a date. Here it is a number of milliseconds; dates as text do not match.`,
    remedy: `Send ${attribute} as milliseconds since 1970.`,
  });
  const sure = [[condition(attribute, op === 'before' ? 'lt' : 'gt', limit)]];
  return between(sure, [...sure, [condition(attribute, 'matches_regex', DATE)]]);
}

const condition = (
  attribute: string,
  operator: ConditionInput['operator'],
  value: Scalar,
): ConditionInput => ({ attribute, operator, value });

/** LaunchDarkly reads no version with a leading v. */
const NO_V = '^\\d';

function readVersion(op: string, value: string, attribute: string): Audience {
  const isPlain = versionParts(value) !== undefined;
  if (!isPlain) return NOBODY;
  if (op === 'semVerEqual') {
    const source = versionPattern(value, true);
    return source === undefined ? UNKNOWN : pattern(attribute, source);
  }
  const compared = version(attribute, op === 'semVerLessThan' ? 'version_lt' : 'version_gt', value);
  const digits: Alternatives = [[condition(attribute, 'matches_regex', NO_V)]];
  return allOf([compared, exactly(digits)]);
}

function lostOperator(op: string, { path, lose }: ClauseScope): void {
  lose({
    code: 'rule-left-out',
    path,
    message: `A clause has the operator ${op.slice(0, 40)}, which has no counterpart here.`,
    remedy: 'Express the rule with another operator in LaunchDarkly, or add it by hand.',
  });
}
