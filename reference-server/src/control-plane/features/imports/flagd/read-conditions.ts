import { isDeepStrictEqual } from 'node:util';
import type { ConditionInput } from '../../targeting/condition-schema.ts';
import { literalPattern } from '../elsewhere/text-patterns.ts';
import { FlagdFault } from '../import-errors.ts';
import { recognizeCondition } from './recognize-condition.ts';
import { USER_KEY } from './write-condition.ts';

export type FlagdCondition = ConditionInput;

type Alternatives = readonly (readonly FlagdCondition[])[];

/** The surroundings of a condition that is read: the segments to which it can refer, and where losses are reported. */
export interface FlagdScope {
  /** The condition on segments that replaces a list of `$ref`. Throws FlagdFault. */
  readonly refer: (refs: readonly string[], isNegative: boolean) => FlagdCondition;
  /** Called for a comparison that flagd takes as true when the attribute is missing; here it is false (EV-54). */
  readonly matchesMissing: (attribute: string) => void;
  readonly warn: (code: string, subject?: string) => void;
}

const ALTERNATIVES_MAX = 50;

/**
 * JSONLogic as alternatives, each a list of conditions that must all match; each alternative becomes a rule. Throws
 * `FlagdFault` for logic that our operators cannot express, and for more than 50 alternatives.
 */
export function readAlternatives(logic: unknown, scope: FlagdScope): Alternatives {
  if (logic === true) return [[]];
  if (logic === false || logic === null) return [];
  const written = recognizeCondition(logic);
  if (written !== undefined) return [[written]];
  const refs = readRefs(logic);
  if (refs !== undefined) return [[scope.refer(refs, false)]];
  const [operator, parts] = readOperation(logic);
  switch (operator) {
    case 'and':
      return parts
        .map((part) => readAlternatives(part, scope))
        .reduce<Alternatives>(
          (before, next) => limited(before.flatMap((left) => next.map((right) => [...left, ...right]))),
          [[]],
        );
    case 'or':
      return limited(parts.flatMap((part) => readAlternatives(part, scope)));
    case '!':
      return [[negated(parts[0], scope)]];
    default:
      return [[readComparison(operator, parts, scope)]];
  }
}

function limited(alternatives: Alternatives): Alternatives {
  if (alternatives.length > ALTERNATIVES_MAX) throw new FlagdFault('targeting', 'has too many alternatives');
  return alternatives;
}

/** The names in `{"$ref": name}`, or in an `or` of several of these; undefined for other logic. */
function readRefs(logic: unknown): readonly string[] | undefined {
  const [operator, parts] = readOperation(logic);
  if (operator === '$ref') return [String(parts[0])];
  if (operator !== 'or' || parts.length === 0) return undefined;
  const refs = parts.map((part) => (isRef(part) ? part.$ref : undefined));
  return refs.every((ref) => ref !== undefined) ? refs : undefined;
}

function isRef(logic: unknown): logic is { readonly $ref: string } {
  return (
    typeof logic === 'object' && logic !== null && typeof (logic as { $ref?: unknown }).$ref === 'string'
  );
}

function readOperation(logic: unknown): readonly [operator: string, parts: readonly unknown[]] {
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic))
    throw unsupported(JSON.stringify(logic));
  const [entry, ...others] = Object.entries(logic);
  if (entry === undefined || others.length > 0) throw unsupported(JSON.stringify(logic));
  const [operator, parts] = entry;
  return [operator, Array.isArray(parts) ? parts : [parts]];
}

const NEGATIONS = { contains: 'not_contains', one_of: 'not_one_of', is: 'is_not' } as const;

function negated(logic: unknown, scope: FlagdScope): FlagdCondition {
  const refs = readRefs(logic);
  if (refs !== undefined) return scope.refer(refs, true);
  const [operator, parts] = readOperation(logic);
  const { operator: positive, ...rest } = readComparison(operator, parts, scope);
  const negative = NEGATIONS[positive as keyof typeof NEGATIONS];
  if (negative === undefined) throw unsupported(`! ${operator}`);
  scope.matchesMissing(rest.attribute);
  return { ...rest, operator: negative };
}

function readComparison(operator: string, parts: readonly unknown[], scope: FlagdScope): FlagdCondition {
  const condition = toCondition(operator, parts, scope);
  if (matchesNull(operator, parts[1])) scope.matchesMissing(condition.attribute);
  return condition;
}

/**
 * Whether flagd takes the comparison as true when the attribute is missing. flagd reads a missing attribute as null, or
 * as 0 in a comparison with a number.
 */
function matchesNull(operator: string, right: unknown): boolean {
  switch (operator) {
    case '!=':
    case '!==':
      return right !== null;
    case '==':
      return right === 0 || right === false;
    case '>':
      return 0 > Number(right);
    case '<':
      return 0 < Number(right);
    default:
      return false;
  }
}

function toCondition(operator: string, parts: readonly unknown[], scope: FlagdScope): FlagdCondition {
  const [left, right, third] = parts;
  const attribute = (value: unknown): string => readVar(value, scope);
  switch (operator) {
    case '==':
    case '===':
      return { attribute: attribute(left), operator: 'is', value: readScalar(right) };
    case '!=':
    case '!==':
      // "Not equal to null" means that the attribute is present, which is `not_one_of` an empty list here.
      return right === null
        ? { attribute: attribute(left), operator: 'not_one_of', value: [] }
        : { attribute: attribute(left), operator: 'is_not', value: readScalar(right) };
    case '>':
    case '<': {
      const value = readScalar(right);
      if (typeof value !== 'number') throw unsupported(`${operator} with a value that is not a number`);
      return { attribute: attribute(left), operator: operator === '>' ? 'gt' : 'lt', value };
    }
    case 'in':
      return Array.isArray(right)
        ? { attribute: attribute(left), operator: 'one_of', value: right.map(readScalar) }
        : { attribute: attribute(right), operator: 'contains', value: readScalar(left) };
    case 'starts_with':
      return { attribute: attribute(left), operator: 'matches_regex', value: `^${readText(right)}` };
    case 'ends_with':
      return { attribute: attribute(left), operator: 'matches_regex', value: `${readText(right)}$` };
    case 'sem_ver': {
      if (right !== '>' && right !== '<') throw unsupported(`sem_ver ${String(right)}`);
      const operator = right === '>' ? 'version_gt' : 'version_lt';
      return { attribute: attribute(left), operator, value: readScalar(third) };
    }
    default:
      throw unsupported(operator);
  }
}

/** The attribute that `var` reads. In flagd a dot leads into a nested object; here it is part of the name (EV-57). */
function readVar(value: unknown, { warn }: FlagdScope): string {
  if (isDeepStrictEqual(value, USER_KEY)) return 'user_key';
  const [operator, parts] = readOperation(value);
  const [name, ...others] = parts;
  if (operator !== 'var' || typeof name !== 'string' || name.startsWith('$')) throw unsupported('var');
  if (others.length > 0) throw unsupported('var with a default');
  if (name === 'targetingKey') return 'user_key';
  if (name === 'user_key')
    throw unsupported('an attribute user_key, a name that is reserved here for the user key');
  if (name.includes('.')) warn('path-read-as-name', name);
  return name;
}

function readScalar(value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw unsupported('a value other than a text, a number or a boolean');
}

const readText = (value: unknown): string => literalPattern(String(readScalar(value)));

function unsupported(what: string): FlagdFault {
  return new FlagdFault('targeting', `uses ${what.slice(0, 100)}, which cannot be imported`);
}
