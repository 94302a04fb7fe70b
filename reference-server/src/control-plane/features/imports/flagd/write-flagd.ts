import type { Condition } from '@flagsvc/sdk-core';
import {
  type CompiledSegments,
  compileSegments,
  type SegmentRow,
} from '../../../../publishing/compile-segments.ts';
import type { FlagState } from '../../flags/flag-state.ts';
import { allOf, anyOf, type Bounds, exactly, isExact, joinBounds, type Logic, negate } from './json-logic.ts';
import { writeCondition } from './write-condition.ts';

/** A file of flagd's flag definitions, and warnings about the parts that flagd cannot express. */
export interface FlagdExport {
  readonly document: {
    readonly $schema: string;
    readonly $evaluators?: Readonly<Record<string, Logic>>;
    readonly flags: Readonly<Record<string, object>>;
  };
  /** Each a code and its subject: `rule-left-out=banner/Beta users`. */
  readonly warnings: readonly string[];
}

/** The parts of a flag that an export uses. */
export type ExportedFlag = Pick<
  FlagState,
  'key' | 'flagType' | 'status' | 'enabled' | 'variations' | 'defaultVariation' | 'rules' | 'prerequisites'
>;

/** Segments as flagd's evaluators. */
export interface Evaluators {
  /** The bounds of membership in each segment, by segment key. */
  readonly bounds: ReadonlyMap<string, Bounds>;
  /** The content of `$evaluators`. */
  readonly written: Readonly<Record<string, Logic>>;
  readonly refer: CompiledSegments['refer'];
}

/**
 * The flags of one environment for flagd, with a warning for everything that is lost. flagd never serves a rule to more
 * users than we do (decisions/0027): if it cannot tell whether a rule matches a user, it serves the default.
 */
export function writeFlagd(flags: readonly ExportedFlag[], rows: readonly SegmentRow[]): FlagdExport {
  const warnings: string[] = [];
  const evaluators = writeSegments(rows, warnings);
  const written: Record<string, object> = {};
  for (const flag of flags) {
    if (isExpressible(flag, evaluators)) written[flag.key] = writeFlag(flag, evaluators, warnings);
    else warnings.push(`flag-left-out=${flag.key}`);
  }
  return {
    document: {
      $schema: 'https://flagd.dev/schema/v0/flags.json',
      ...(Object.keys(evaluators.written).length > 0 && { $evaluators: evaluators.written }),
      flags: written,
    },
    warnings,
  };
}

/** The key of the evaluator for the upper bound of a segment's members. Keys of segments contain no slash. */
const possibleKey = (key: string): string => `${key}/possible`;

export function writeSegments(rows: readonly SegmentRow[], warnings: string[]): Evaluators {
  const { segments, refer } = compileSegments(rows);
  const bounds = new Map<string, Bounds>();
  const written: Record<string, Logic> = {};
  /** Stores the logic as an evaluator and returns a reference to it; returns the logic itself if flagd cannot refer to it. */
  const refTo = (key: string, logic: Logic): Logic => {
    const owner = key.split('/')[0]!;
    // An import expects a companion evaluator only beside the segment's own evaluator.
    if (!isReferable(logic) || (owner !== key && !Object.hasOwn(written, owner))) return logic;
    written[key] = logic;
    return { $ref: key };
  };
  for (const { key, conditions } of segments) {
    const members = joinBounds(conditions.map(writeCondition), allOf);
    if (members.sure === false && members.possible !== false) warnings.push(`segment-left-out=${key}`);
    else if (!isExact(members)) warnings.push(`segment-narrowed=${key}`);
    const sure = refTo(key, members.sure);
    bounds.set(key, { sure, possible: isExact(members) ? sure : refTo(possibleKey(key), members.possible) });
  }
  return { bounds, written, refer };
}

/** flagd-core inserts evaluators into the file's text by `replaceAll`, which would expand `$&` and the like in the logic. */
function isReferable(logic: Logic): boolean {
  return typeof logic === 'object' && !/\$[$&`']/.test(JSON.stringify(logic));
}

/** flagd takes only objects as json variations, and would replace anything inside them that looks like a reference. */
function isExpressible({ flagType, variations }: ExportedFlag, { written }: Evaluators): boolean {
  if (flagType !== 'json') return true;
  const isObject = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const text = JSON.stringify(variations);
  return (
    variations.every(({ value }) => isObject(value)) &&
    !Object.keys(written).some((key) => text.includes(JSON.stringify({ $ref: key })))
  );
}

function writeFlag(flag: ExportedFlag, evaluators: Evaluators, warnings: string[]): object {
  if (flag.prerequisites.length > 0) warnings.push(`prerequisites-left-out=${flag.key}`);
  const branches = writeRules(flag, evaluators, warnings);
  // flagd has no prerequisites, so a flag that has any is switched off.
  const isOn = flag.enabled && flag.status !== 'archived' && flag.prerequisites.length === 0;
  return {
    state: isOn ? 'ENABLED' : 'DISABLED',
    variants: Object.fromEntries(flag.variations.map(({ key, value }) => [key, value])),
    defaultVariant: flag.defaultVariation,
    ...(branches.length > 0 && { targeting: { if: [...branches, null] } }),
  };
}

/**
 * The branches of an `if`: condition and target alternate. A rule that flagd cannot express exactly is followed by a
 * branch that serves the default to everyone whom the rule may match, so that they do not reach the rules after it.
 */
function writeRules(flag: ExportedFlag, evaluators: Evaluators, warnings: string[]): readonly Logic[] {
  const branches: Logic[] = [];
  let pending: Logic[] = [];
  let isCut = false;
  for (const rule of flag.rules) {
    const path = `${flag.key}/${rule.name || rule.id}`;
    if (isCut) {
      warnings.push(`rule-cut=${path}`);
      continue;
    }
    const bounds = ruleBounds(rule.conditions, evaluators);
    const { sure, possible } = bounds;
    // The rule never matches here either.
    if (possible === false) continue;
    if (sure === false) warnings.push(`rule-left-out=${path}`);
    else if (!isExact(bounds)) warnings.push(`rule-narrowed=${path}`);
    if (sure !== false) {
      branches.push(...pending, sure, writeTarget(rule, flag.defaultVariation));
      // The shares are kept, but flagd hashes differently, so other users get them.
      if (rule.percentage_rollout !== undefined) warnings.push(`rollouts-reach-other-users=${path}`);
      pending = [];
    }
    if (!isExact(bounds)) pending.push(possible, null);
    if (sure === true) break;
    isCut = possible === true;
  }
  return branches;
}

/** A rule's conditions in flagd's logic. */
export function ruleBounds(
  conditions: readonly Condition[],
  { bounds, refer }: Pick<Evaluators, 'bounds' | 'refer'>,
): Bounds {
  return joinBounds(
    conditions.map((condition) =>
      condition.attribute === '$segment' ? membership(refer(condition), bounds) : writeCondition(condition),
    ),
    allOf,
  );
}

function membership({ operator, value }: Condition, bounds: ReadonlyMap<string, Bounds>): Bounds {
  const keys = [...new Set(value as readonly string[])];
  const member = joinBounds(
    keys.map((key) => bounds.get(key) ?? exactly(false)),
    anyOf,
  );
  return operator === 'one_of' ? member : negate(member);
}

/** What a rule serves; the users outside of a rollout's shares get the default. */
function writeTarget(
  { variation, percentage_rollout: rollout }: ExportedFlag['rules'][number],
  defaultVariation: string,
): Logic {
  if (rollout === undefined) return variation;
  const shares = rollout.map((share) => [share.variation, share.percentage]);
  const rest = 100 - rollout.reduce((sum, { percentage }) => sum + percentage, 0);
  return { fractional: rest > 0 ? [...shares, [defaultVariation, rest]] : shares };
}
