import { isDeepStrictEqual } from 'node:util';
import type { ConditionInput } from '../../targeting/condition-schema.ts';
import { FlagdFault } from '../import-errors.ts';
import { literalPattern, recognizeCondition } from './recognize-condition.ts';
import { USER_KEY } from './write-condition.ts';

export type FlagdCondition = ConditionInput;

type Alternatives = readonly (readonly FlagdCondition[])[];

/** What a condition of a file may refer to, and where what is lost of it is written down. */
export interface FlagdScope {
  /** The condition that stands for a list of `$ref`. Throws FlagdFault. */
  readonly refer: (refs: readonly string[], isNegative: boolean) => FlagdCondition;
  /** Called for comparisons that hold in flagd where the attribute is missing; ours never do (EV-54). */
  readonly matchesMissing: (attribute: string) => void;
  readonly warn: (code: string, subject?: string) => void;
}

const ALTERNATIVES_MAX = 50;

/**
 * A condition of JSONLogic as lists of conditions of which one must hold entirely: each becomes a rule. Throws
 * `FlagdFault` for what cannot be said with our operators.
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
          (sofar, next) => limited(sofar.flatMap((left) => next.map((right) => [...left, ...right]))),
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

/** The names in `{"$ref": name}`, or in several of these of which one must hold. */
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
  const condition = compared(operator, parts, scope);
  if (matchesNull(operator, parts[1])) scope.matchesMissing(condition.attribute);
  return condition;
}

/** A missing attribute is null in flagd, which is 0 beside a number. */
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

function compared(operator: string, parts: readonly unknown[], scope: FlagdScope): FlagdCondition {
  const [left, right, third] = parts;
  const attribute = (value: unknown): string => readVar(value, scope);
  switch (operator) {
    case '==':
    case '===':
      return { attribute: attribute(left), operator: 'is', value: readScalar(right) };
    case '!=':
    case '!==':
      // Whatever the attribute is, it is there.
      return right === null
        ? { attribute: attribute(left), operator: 'not_one_of', value: [] }
        : { attribute: attribute(left), operator: 'is_not', value: readScalar(right) };
    case '>':
    case '<': {
      const value = readScalar(right);
      if (typeof value !== 'number') throw unsupported(`${operator} with something that is no number`);
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

/** The attribute that flagd reads. Its names are paths into nested objects; ours are names (EV-57). */
function readVar(value: unknown, { warn }: FlagdScope): string {
  if (isDeepStrictEqual(value, USER_KEY)) return 'user_key';
  const [operator, parts] = readOperation(value);
  const [name, ...others] = parts;
  if (operator !== 'var' || typeof name !== 'string' || name.startsWith('$')) throw unsupported('var');
  if (others.length > 0) throw unsupported('var with a default');
  if (name === 'targetingKey') return 'user_key';
  if (name === 'user_key') throw unsupported('an attribute user_key, which is the key of the user here');
  if (name.includes('.')) warn('path-read-as-name', name);
  return name;
}

function readScalar(value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw unsupported('a value that is no text, number or boolean');
}

const readText = (value: unknown): string => literalPattern(String(readScalar(value)));

function unsupported(what: string): FlagdFault {
  return new FlagdFault('targeting', `uses ${what.slice(0, 100)}, which cannot be taken over`);
}
