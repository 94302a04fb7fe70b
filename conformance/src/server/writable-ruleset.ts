import { isObject } from '../suite/json-value.ts';
import type { Vector } from '../suite/suite.ts';

/** A condition of a vector. */
export interface Condition {
  readonly attribute: string;
  readonly operator: string;
  readonly value: unknown;
}

/** A rule of a vector or of a compiled ruleset. */
export interface Rule {
  readonly id: string;
  readonly priority: number;
  readonly conditions: readonly Condition[];
  readonly variation?: string;
  readonly percentage_rollout?: readonly { readonly variation: string; readonly percentage: number }[];
  readonly bucketing?: number;
}

/** A flag of a vector or of a compiled ruleset. */
export interface Flag {
  readonly key: string;
  readonly flag_type: string;
  readonly enabled: boolean;
  readonly variations: readonly { readonly key: string; readonly value: unknown }[];
  readonly default_variation: string;
  readonly targeting_rules: readonly Rule[];
  readonly prerequisites?: readonly { readonly flag_key: string; readonly variation: string }[];
}

/** A segment of a vector. */
export interface Segment {
  readonly key: string;
  readonly conditions: readonly Condition[];
}

/** The part of a ruleset that the management API can write. */
export interface WritableRuleset {
  readonly flags: readonly Flag[];
  readonly segments: readonly Segment[];
}

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const VERSION = /^[vV]?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const LISTS = ['one_of', 'not_one_of'];
const MEMBERSHIPS = ['is', 'is_not', ...LISTS];
/** Larger rulesets test only evaluators, because writing them would use up a server's rate limits. */
const MAX_FLAGS = 20;

/** How deep a body may be nested (docs/performance.md). */
const MAX_DEPTH = 32;

/**
 * The ruleset of a vector if a server must accept it on save, otherwise why it may refuse it. A scalar value of a `json`
 * flag is wrapped in an object, because `json` flags serve structured values.
 */
export const toWritableRuleset = (vector: Vector): WritableRuleset | string => {
  const { flags, segments = [] } = (vector.ruleset ?? {}) as { flags?: unknown; segments?: unknown };
  if (!Array.isArray(flags) || !Array.isArray(segments)) return 'no server compiles such a ruleset';
  if (flags.length === 0) return 'there is no flag to write';
  if (flags.length > MAX_FLAGS) return `more than ${MAX_FLAGS} flags would use up the limits of a server`;
  if (!flags.every(isValidFlag) || !segments.every(isValidSegment)) return 'broken flags are refused on save';
  if (depthOf(flags) > MAX_DEPTH - 2) return `more than ${MAX_DEPTH} levels are refused on save`;
  if (!isDistinct(flags.map(({ key }) => key)) || !isDistinct(segments.map(({ key }) => key)))
    return 'a duplicate key is refused on save';
  const known = new Set(segments.map(({ key }) => key));
  const conditions = flags.flatMap((flag: Flag) => flag.targeting_rules.flatMap((rule) => rule.conditions));
  const inSegments = segments.flatMap((segment: Segment) => segment.conditions);
  if (
    !conditions.every((condition) => isConditionAccepted(condition, known)) ||
    !inSegments.every((condition) => isConditionAccepted(condition))
  )
    return 'conditions that can never match are refused on save';
  if (!flags.every((flag) => arePrerequisitesValid(flag, flags)))
    return 'invalid prerequisites are refused on save';
  if (!vector.calls.some(canEvaluate)) return 'its contexts cannot be sent to POST /evaluate';
  return { flags: flags.map(wrapValues), segments };
};

/** How many levels of objects and lists the value has. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((most: number, item) => Math.max(most, depthOf(item)), 0)
    : 0;

/** The value to write for a variation of a flag of this type. */
export const wrap = (type: string, value: unknown): unknown =>
  type === 'json' && (typeof value !== 'object' || value === null) ? { value } : value;

/** Whether `POST /evaluate` accepts the call: it limits the depth of the context and requires a user key. */
export const canEvaluate = ({ flag, context }: Vector['calls'][number]): boolean =>
  typeof flag === 'string' &&
  flag !== '*' &&
  isObject(context) &&
  typeof context['user_key'] === 'string' &&
  (context['attributes'] === undefined || isObject(context['attributes'])) &&
  depthOf(context) < MAX_DEPTH &&
  !isTagged(context);

const wrapValues = (flag: Flag): Flag => ({
  ...flag,
  variations: flag.variations.map(({ key, value }) => ({ key, value: wrap(flag.flag_type, value) })),
});

const isSlug = (key: unknown): boolean => typeof key === 'string' && key.length <= 100 && SLUG.test(key);
const isDistinct = (keys: readonly unknown[]): boolean => new Set(keys).size === keys.length;
const isTagged = (value: unknown): boolean =>
  /"\$(number|absent|inherited|repeat)":/.test(JSON.stringify(value) ?? '');
const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const isValidFlag = (flag: unknown): flag is Flag => {
  if (!isObject(flag) || !isSlug(flag['key'])) return false;
  const {
    flag_type: type,
    variations,
    targeting_rules: rules,
    enabled,
    prerequisites,
    default_variation,
  } = flag;
  if (!Array.isArray(variations) || !variations.every((one) => isObject(one))) return false;
  const keys = variations.map(({ key }) => key);
  return (
    typeof enabled === 'boolean' &&
    (type !== 'boolean' || variations.length === 2) &&
    keys.every((key) => typeof key === 'string' && key !== '' && key.length <= 100) &&
    isDistinct(keys) &&
    keys.includes(default_variation) &&
    variations.every(
      ({ value }) => value !== null && !isTagged(value) && (type === 'json' || typeof value === type),
    ) &&
    (prerequisites === undefined ||
      (Array.isArray(prerequisites) && prerequisites.every((one) => isObject(one)))) &&
    Array.isArray(rules) &&
    // The limits of docs/performance.md.
    rules.length <= 50 &&
    variations.length <= 50 &&
    isDistinct(rules.map((rule) => rule?.id)) &&
    rules.every((rule) => isValidRule(rule, keys))
  );
};

const isValidRule = (rule: unknown, keys: readonly unknown[]): boolean => {
  if (!isObject(rule) || typeof rule['id'] !== 'string') return false;
  const { priority, conditions, variation, percentage_rollout: rollout, bucketing } = rule;
  const shares = Array.isArray(rollout) ? rollout.map((entry) => entry?.percentage) : [];
  return (
    Number.isInteger(priority) &&
    Math.abs(priority as number) < 2 ** 31 &&
    Array.isArray(conditions) &&
    conditions.length <= 20 &&
    (bucketing === undefined || bucketing === 1 || bucketing === 2) &&
    (Array.isArray(rollout)
      ? variation === undefined &&
        rollout.length > 0 &&
        rollout.every((entry) => keys.includes(entry?.variation)) &&
        shares.every((share) => Number.isInteger(share) && share >= 0) &&
        shares.reduce((sum, share) => sum + share, 0) <= 100
      : rollout === undefined && keys.includes(variation))
  );
};

const isValidSegment = (segment: unknown): segment is Segment =>
  isObject(segment) && isSlug(segment['key']) && Array.isArray(segment['conditions']);

/** Without `segments`, the condition belongs to a segment, which cannot refer to other segments. */
const isConditionAccepted = (condition: unknown, segments?: ReadonlySet<unknown>): boolean => {
  if (!isObject(condition)) return false;
  const { attribute, operator, value } = condition;
  if (typeof attribute !== 'string' || typeof operator !== 'string') return false;
  if (attribute === '' || attribute.length > 200) return false;
  const list = LISTS.includes(operator);
  if (list !== Array.isArray(value) || isTagged(value)) return false;
  const values = Array.isArray(value) ? value : [value];
  if (!values.every((one) => isScalar(one) && String(one).length <= 1_024) || values.length > 1_000)
    return false;
  if (attribute === '$segment') {
    return (
      segments !== undefined && MEMBERSHIPS.includes(operator) && values.every((key) => segments.has(key))
    );
  }
  if (attribute.startsWith('$')) return false;
  // A bound beyond the largest number could never match, so servers refuse it.
  if (operator === 'gt' || operator === 'lt') {
    return DECIMAL.test(String(value)) && Math.abs(Number(value)) < Number.MAX_VALUE;
  }
  if (operator.startsWith('version_')) return typeof value === 'string' && VERSION.test(value);
  if (operator === 'matches_regex') return typeof value === 'string';
  return [...MEMBERSHIPS, 'contains', 'not_contains'].includes(operator);
};

/** Every prerequisite names a flag and one of its variations, and there is no cycle. */
const arePrerequisitesValid = (flag: Flag, flags: readonly Flag[], path: readonly string[] = []): boolean =>
  !path.includes(flag.key) &&
  // Servers must accept a depth of 5 (docs/performance.md).
  path.length <= 5 &&
  (flag.prerequisites ?? []).every(({ flag_key, variation }) => {
    const found = flags.find(({ key }) => key === flag_key);
    return (
      found?.variations.some(({ key }) => key === variation) &&
      arePrerequisitesValid(found, flags, [...path, flag.key])
    );
  });
