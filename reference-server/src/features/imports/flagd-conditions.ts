import type { ConditionInput } from '../targeting/condition-schema.ts';
import { FlagdFault } from './import-errors.ts';

export type FlagdCondition = ConditionInput;

type Alternatives = readonly (readonly FlagdCondition[])[];

const ALTERNATIVES_MAX = 50;

/**
 * A condition of JSONLogic as lists of conditions of which one must hold entirely: each becomes a rule. Throws
 * `FlagdFault` for what cannot be said with our operators.
 */
export function readAlternatives(logic: unknown): Alternatives {
  if (logic === true) return [[]];
  if (logic === false || logic === null) return [];
  const [operator, parts] = readOperation(logic);
  switch (operator) {
    case 'and':
      return parts
        .map(readAlternatives)
        .reduce<Alternatives>(
          (sofar, next) => limited(sofar.flatMap((left) => next.map((right) => [...left, ...right]))),
          [[]],
        );
    case 'or':
      return limited(parts.flatMap(readAlternatives));
    case '!':
      return [[negated(parts[0])]];
    default:
      return [[readComparison(operator, parts)]];
  }
}

function limited(alternatives: Alternatives): Alternatives {
  if (alternatives.length > ALTERNATIVES_MAX) throw new FlagdFault('targeting', 'has too many alternatives');
  return alternatives;
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

function negated(logic: unknown): FlagdCondition {
  const [operator, parts] = readOperation(logic);
  if (operator === 'or') {
    const keys = parts.map((part) => readComparison(...readOperation(part)));
    if (keys.every((one) => one.attribute === '$segment')) {
      return {
        attribute: '$segment',
        operator: 'not_one_of',
        value: keys.flatMap((one) => one.value as string[]),
      };
    }
    throw unsupported('! or');
  }
  const { operator: positive, ...rest } = readComparison(operator, parts);
  const negative = NEGATIONS[positive as keyof typeof NEGATIONS];
  if (negative === undefined) throw unsupported(`! ${operator}`);
  return { ...rest, operator: negative };
}

function readComparison(operator: string, parts: readonly unknown[]): FlagdCondition {
  const [left, right, third] = parts;
  switch (operator) {
    case '$ref':
      return { attribute: '$segment', operator: 'one_of', value: [String(left)] };
    case '==':
    case '===':
      return { attribute: readVar(left), operator: 'is', value: readScalar(right) };
    case '!=':
    case '!==':
      return { attribute: readVar(left), operator: 'is_not', value: readScalar(right) };
    case '>':
    case '<': {
      const value = readScalar(right);
      if (typeof value !== 'number') throw unsupported(`${operator} with something that is no number`);
      return { attribute: readVar(left), operator: operator === '>' ? 'gt' : 'lt', value };
    }
    case 'in':
      return Array.isArray(right)
        ? { attribute: readVar(left), operator: 'one_of', value: right.map(readScalar) }
        : { attribute: readVar(right), operator: 'contains', value: readScalar(left) };
    case 'starts_with':
      return { attribute: readVar(left), operator: 'matches_regex', value: `^${literal(right)}` };
    case 'ends_with':
      return { attribute: readVar(left), operator: 'matches_regex', value: `${literal(right)}$` };
    case 'sem_ver': {
      if (right !== '>' && right !== '<') throw unsupported(`sem_ver ${String(right)}`);
      const compared = right === '>' ? 'version_gt' : 'version_lt';
      return { attribute: readVar(left), operator: compared, value: readScalar(third) };
    }
    default:
      throw unsupported(operator);
  }
}

function readVar(value: unknown): string {
  const [operator, parts] = readOperation(value);
  const [name] = parts;
  if (operator !== 'var' || typeof name !== 'string' || name.startsWith('$')) throw unsupported('var');
  return name === 'targetingKey' ? 'user_key' : name;
}

function readScalar(value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw unsupported('a value that is no text, number or boolean');
}

/** A text as a pattern that matches only itself. */
function literal(value: unknown): string {
  return String(readScalar(value)).replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

function unsupported(what: string): FlagdFault {
  return new FlagdFault('targeting', `uses ${what.slice(0, 100)}, which cannot be taken over`);
}
