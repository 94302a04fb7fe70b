import { isDeepStrictEqual } from 'node:util';
import type { DocumentConfig } from '../document.ts';
import { FlagdFault } from '../import-errors.ts';
import { isExact } from './json-logic.ts';
import { type FlagdCondition, type FlagdScope, readAlternatives } from './read-conditions.ts';
import type { FlagdSegments } from './read-segments.ts';
import { ruleBounds } from './write-flagd.ts';

type Rule = NonNullable<DocumentConfig['targeting_rules']>[number];
type Target = Pick<Rule, 'variation' | 'percentage_rollout'>;
type Branch = readonly [condition: unknown, target: unknown];

export interface TargetingScope {
  readonly segments: FlagdSegments;
  readonly defaultVariation: string;
  readonly warn: FlagdScope['warn'];
}

/** The `targeting` of a flag as rules, in order. Throws FlagdFault for what our rules cannot express. */
export function readTargeting(
  targeting: unknown,
  { segments, defaultVariation, warn }: TargetingScope,
): Rule[] {
  const rules: Rule[] = [];
  // Attributes whose absence makes an earlier branch match in flagd, but not here.
  const needed = new Set<string>();
  const branches = branchesOf(targeting);
  for (let index = 0; index < branches.length; index++) {
    const [condition, served] = branches[index]!;
    const missing: string[] = [];
    const scope: FlagdScope = {
      refer: (refs, isNegative) => segments.refer(refs, isNegative, (attribute) => missing.push(attribute)),
      matchesMissing: (attribute) => missing.push(attribute),
      warn,
    };
    const alternatives = served === null ? readOrNone(condition, scope) : readAlternatives(condition, scope);
    if (alternatives === undefined) {
      warn('rules-cut');
      break;
    }
    const target = readTarget(served, defaultVariation, { scope, warn });
    for (const conditions of alternatives) {
      const guarded = [...conditions, ...presence(needed, conditions)];
      if (guarded.length > conditions.length) warn('missing-attributes-get-the-default');
      for (const one of target) {
        rules.push({
          ...one.served,
          priority: rules.length + 1,
          conditions: [...guarded, ...presence(one.needs, guarded)],
        });
      }
    }
    for (const attribute of missing) needed.add(attribute);
    if (isUpperBoundBranch(alternatives, branches[index + 1], segments)) index++;
  }
  return rules;
}

/**
 * Reads the condition of a branch that serves the default. Undefined if the condition cannot be expressed; the import
 * then drops the rules after it.
 */
function readOrNone(condition: unknown, scope: FlagdScope): ReturnType<typeof readAlternatives> | undefined {
  try {
    return readAlternatives(condition, scope);
  } catch (error) {
    if (error instanceof FlagdFault) return undefined;
    throw error;
  }
}

/** Conditions that require the attributes to be present, unless `given` has a condition on them already. */
function presence(attributes: Iterable<string>, given: readonly FlagdCondition[]): FlagdCondition[] {
  return [...attributes]
    .filter((attribute) => !given.some((one) => one.attribute === attribute))
    .map((attribute) => ({ attribute, operator: 'not_one_of', value: [] }));
}

/**
 * Whether `next` is the branch that an export adds after an inexact rule. That branch serves the default to everyone
 * whom the rule may match, so that they do not reach the rules after it.
 */
function isUpperBoundBranch(
  alternatives: readonly (readonly FlagdCondition[])[],
  next: Branch | undefined,
  { evaluators }: FlagdSegments,
): boolean {
  const [conditions, ...others] = alternatives;
  if (next === undefined || next[1] !== null || conditions === undefined || others.length > 0) return false;
  const bounds = ruleBounds(conditions as never, evaluators);
  return !isExact(bounds) && isDeepStrictEqual(bounds.possible, next[0]);
}

/** The branches of nested `if` as one list. The value after the last `else` becomes a branch that always matches. */
function branchesOf(targeting: unknown): readonly Branch[] {
  const branches: Branch[] = [];
  let rest: unknown = targeting;
  while (rest !== undefined && rest !== null) {
    if (typeof rest !== 'object' || Array.isArray(rest)) return [...branches, [true, rest]];
    const [first, ...others] = Object.entries(rest);
    if (first === undefined) break;
    const [operator, parts] = first;
    if (others.length > 0) throw new FlagdFault('targeting', `has ${others[0]![0]} beside ${operator}`);
    if (operator !== 'if' || !Array.isArray(parts)) return [...branches, [true, rest]];
    for (let index = 0; index + 1 < parts.length; index += 2) branches.push([parts[index], parts[index + 1]]);
    rest = parts.length % 2 === 1 ? parts.at(-1) : undefined;
  }
  return branches;
}

/** What a branch serves: the first entry whose attributes (`needs`) are all present. */
function readTarget(
  value: unknown,
  fallback: string,
  { scope, warn }: { readonly scope: FlagdScope; readonly warn: FlagdScope['warn'] },
): readonly { readonly served: Target; readonly needs: readonly string[] }[] {
  const whole = (served: Target) => [{ served, needs: [] }];
  if (typeof value === 'string' || typeof value === 'boolean') return whole({ variation: String(value) });
  if (value === null) return whole({ variation: fallback });
  const parts = (value as { readonly fractional?: unknown }).fractional;
  if (!Array.isArray(parts)) throw new FlagdFault('targeting', 'serves something other than a variant');
  const [first, ...others] = parts as unknown[];
  const served = { percentage_rollout: readShares(Array.isArray(first) ? parts : others, fallback, warn) };
  warn('rollouts-reach-other-users');
  const by = Array.isArray(first) ? undefined : readBucketing(first, scope);
  if (by === undefined) return whole(served);
  if (by.isOther) warn('bucketing-attribute-ignored');
  if (by.needs.length === 0) return whole(served);
  // Without that attribute, flagd serves the default and evaluates no further branch.
  return [{ served, needs: by.needs }, ...whole({ variation: fallback })];
}

/**
 * What flagd hashes for a `fractional`. `isOther` means that flagd hashes something other than the user key, which we
 * always hash; `needs` lists the attribute without which flagd serves the default.
 */
function readBucketing(
  logic: unknown,
  scope: FlagdScope,
): { readonly isOther: boolean; readonly needs: readonly string[] } {
  const [operator, parts] = Object.entries((logic ?? {}) as object)[0] ?? [];
  if (operator === 'cat' && Array.isArray(parts)) {
    const names = parts.map((part) => (part as { readonly var?: unknown } | null)?.var);
    return { isOther: names.some((name) => name !== '$flagd.flagKey' && name !== 'targetingKey'), needs: [] };
  }
  if (operator !== 'var')
    throw new FlagdFault('targeting', 'has a fractional by something other than an attribute');
  const [conditions] = readAlternatives({ '!==': [logic, null] }, { ...scope, matchesMissing: () => {} });
  const attribute = conditions?.[0]?.attribute ?? 'user_key';
  // Here as well, a context without a user key is in no rollout.
  return attribute === 'user_key' ? { isOther: false, needs: [] } : { isOther: true, needs: [attribute] };
}

function readShares(
  shares: readonly unknown[],
  fallback: string,
  warn: FlagdScope['warn'],
): NonNullable<Rule['percentage_rollout']> {
  const read = shares.map((share) => {
    const [variation, weight = 1] = Array.isArray(share) ? share : [{}];
    const isKnown = variation === null || typeof variation === 'string' || typeof variation === 'boolean';
    if (!isKnown || !Number.isInteger(weight)) {
      throw new FlagdFault('targeting', 'has a fractional whose shares are not variants with whole weights');
    }
    return {
      variation: variation === null ? fallback : String(variation),
      weight: Math.max(0, weight as number),
    };
  });
  const total = read.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) throw new FlagdFault('targeting', 'has a fractional without shares');
  let sum = 0;
  const ends = read.map(({ weight }) => {
    sum += weight;
    return Math.round((sum / total) * 100);
  });
  const rounded = read.map(({ variation }, index) => ({
    variation,
    percentage: ends[index]! - (ends[index - 1] ?? 0),
  }));
  if (read.some(({ weight }, index) => weight * 100 !== rounded[index]!.percentage * total))
    warn('shares-rounded');
  return rounded;
}
