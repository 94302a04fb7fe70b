import { type Audience, allOf, between, EVERYONE, exactly, NOBODY, UNKNOWN } from '../elsewhere/audience.ts';
import { filled } from '../elsewhere/comparisons.ts';
import { asFields, asList, asNumber, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import type { Share } from '../elsewhere/shares.ts';
import type { ForeignRule } from '../elsewhere/write-rules.ts';
import { attributeFor, type ConditionScope, readCondition } from './read-conditions.ts';

export interface RuleScope extends ConditionScope {
  /** The variation with this value. */
  readonly keyOf: (value: unknown) => string;
  /** The variation of users that no rule serves. */
  readonly fallthrough: string;
}

/** A rule before its leftover users are known. */
interface ReadRule {
  readonly path: string;
  readonly name: string | undefined;
  readonly audience: Audience;
  readonly shares: readonly Share[];
}

/** The rules of a feature. Feature-wide prerequisites are read elsewhere. */
export function readRules(rules: readonly Fields[], scope: RuleScope): readonly ForeignRule[] {
  const read = rules.flatMap((rule, index) =>
    readRule(rule, { ...scope, path: `${scope.path}.rules.${index}` }),
  );
  return read.map(({ path, name, audience, shares }, index) => {
    const given = shares.reduce((sum, { part }) => sum + part, 0);
    const shared = { path, audience, ...(name && { name }) };
    const [only] = shares;
    if (shares.length === 1 && only !== undefined && given >= 1 - 1e-9)
      return { ...shared, serve: only.variation };
    // GrowthBook goes on to the next rule for users outside the shares.
    const next = nextFor(read.slice(index + 1), scope.fallthrough);
    if (next === undefined) {
      scope.lose({
        code: 'rollouts-overlap',
        path,
        message:
          'In GrowthBook users outside this percentage go on to the next rules. Here the first rule that matches decides, and they get the default variation.',
        remedy: 'Make the rules exclude each other, or move the rollout behind the other rules.',
      });
    }
    const rest = next === undefined || given >= 1 ? [] : [{ variation: next, part: 1 - given }];
    return { ...shared, serve: [...shares, ...rest] };
  });
}

/** The variation of all users that the rules so far leave out; undefined if that depends on the user. */
function nextFor(rules: readonly ReadRule[], fallthrough: string): string | undefined {
  const [next] = rules;
  if (next === undefined) return fallthrough;
  const [only, ...others] = next.shares;
  const isForAll = next.audience === EVERYONE && others.length === 0 && (only?.part ?? 0) >= 1;
  return isForAll ? only!.variation : undefined;
}

function readRule(rule: Fields, scope: RuleScope): readonly ReadRule[] {
  const { path, lose } = scope;
  if (Array.isArray(rule['contextualVariations'])) return [banditRule(rule, scope)];
  const isForce = Object.hasOwn(rule, 'force');
  if (!isForce && asList(rule['variations']).length < 2) return [];
  const shares = isForce ? forceShares(rule, scope) : experimentShares(rule, scope);
  const whole = shares.reduce((sum, { part }) => sum + part, 0);
  if (whole <= 0) return [];
  const conditions =
    asFields(rule['condition']) === undefined ? [] : [readCondition(rule['condition'], scope)];
  const outside = asList(rule['parentConditions']).length > 0 ? [UNKNOWN] : [];
  if (outside.length > 0) {
    lose({
      code: 'rule-left-out',
      path,
      message:
        'The rule depends on another feature. Here only a whole flag can, so its users get the default variation.',
      remedy:
        'Repeat the conditions of the other feature in this rule, or make it a prerequisite of the whole flag.',
    });
  }
  const isBucketed = !isForce || rule['coverage'] !== undefined || Array.isArray(rule['range']);
  const hashVersion = rule['hashVersion'] ?? 1;
  // GrowthBook's SDKs know two versions, and put nobody into a bucket of another.
  if (isBucketed && hashVersion !== 1 && hashVersion !== 2) return [];
  const guards = isBucketed ? [hashedBy(rule, scope)] : [];
  const parts = [...conditions, ...outside, ...guards].filter((one) => one !== EVERYONE);
  const audience = parts.length === 0 ? EVERYONE : allOf(parts);
  const name = asText(rule['name']) ?? asText(rule['key']);
  return [{ path, name, audience, shares }];
}

/** A rule whose shares change by what it has learned. */
function banditRule(rule: Fields, scope: RuleScope): ReadRule {
  const { path, lose, fallthrough } = scope;
  lose({
    code: 'rule-left-out',
    path,
    message: 'The rule is a contextual bandit, which learns its shares. Its users get the default variation.',
    remedy: 'End the bandit in GrowthBook with the value that won, or add a rollout by hand.',
  });
  const { possible } = readCondition(rule['condition'], scope);
  return {
    path,
    name: undefined,
    audience: between([], possible),
    shares: [{ variation: fallthrough, part: 1 }],
  };
}

function forceShares(rule: Fields, scope: RuleScope): readonly Share[] {
  const range = asList(rule['range']);
  const size = range.length === 2 ? Number(range[1]) - Number(range[0]) : (asNumber(rule['coverage']) ?? 1);
  return [{ variation: scope.keyOf(rule['force']), part: clamp(size) * reachOf(rule, scope) }];
}

function experimentShares(rule: Fields, scope: RuleScope): readonly Share[] {
  const variations = asList(rule['variations']);
  const reach = reachOf(rule, scope);
  const ranges = asList(rule['ranges']);
  if (ranges.length > 0) {
    return variations.map((value, index) => {
      const [start = 0, end = 0] = asList(ranges[index]).map(Number);
      return { variation: scope.keyOf(value), part: clamp(end - start) * reach };
    });
  }
  const coverage = clamp(asNumber(rule['coverage']) ?? 1);
  const weights = asList(rule['weights']).map(Number);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  // As GrowthBook does with weights that do not fit.
  const isFitting = weights.length === variations.length && sum >= 0.99 && sum <= 1.01;
  return variations.map((value, index) => ({
    variation: scope.keyOf(value),
    part: (isFitting ? clamp(weights[index]!) : 1 / variations.length) * coverage * reach,
  }));
}

/** The share of users that namespaces and filters let in. */
function reachOf(rule: Fields, { path, lose }: RuleScope): number {
  const namespace = asList(rule['namespace']);
  const filters = asObjects(rule['filters']).map(([, one]) => asList(one['ranges']));
  if (namespace.length < 3 && filters.length === 0) return 1;
  lose({
    code: 'field-ignored',
    path,
    message:
      'The rule is in a namespace, which keeps experiments apart. Its percentage is kept, but a user can be in several experiments.',
    remedy: 'Do not run experiments at the same time that must not overlap.',
  });
  if (filters.length === 0) return clamp(Number(namespace[2]) - Number(namespace[1]));
  const sizes = filters.map((ranges) =>
    ranges.reduce<number>(
      (sum, one) => sum + Math.max(0, Number(asList(one)[1]) - Number(asList(one)[0])),
      0,
    ),
  );
  return sizes.reduce((product, size) => product * clamp(size), 1);
}

const clamp = (value: number): number => (Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0);

/** The users that can be in a bucket: GrowthBook skips the rule for a user without the attribute. */
function hashedBy(rule: Fields, scope: RuleScope): Audience {
  const { path, lose } = scope;
  const name = asText(rule['hashAttribute']) || 'id';
  const attribute = attributeFor(name, scope);
  if (attribute === 'user_key') return exactly([[filled('user_key')]]);
  lose({
    code: 'bucketing-attribute-ignored',
    path,
    message: `The rule assigns buckets by ${name}. Here the user key decides.`,
    remedy:
      'Expect users with the same attribute to get different variations, or evaluate with that attribute as user key.',
  });
  return attribute === undefined ? NOBODY : exactly([[filled(attribute)]]);
}
