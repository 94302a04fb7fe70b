import {
  type Audience,
  allOf,
  anyOf,
  between,
  EVERYONE,
  exactly,
  noneOf,
  UNKNOWN,
} from '../elsewhere/audience.ts';
import { oneOf, present } from '../elsewhere/comparisons.ts';
import { asFields, asList, isScalar } from '../elsewhere/fields.ts';
import { type FieldScope, notPresent, readOperator } from './read-operators.ts';

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
