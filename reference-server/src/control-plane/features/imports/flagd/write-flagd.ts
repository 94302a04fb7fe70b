import type { Condition } from '@flagsvc/sdk-core';
import {
  type CompiledSegments,
  compileSegments,
  type SegmentRow,
} from '../../../../publishing/compile-segments.ts';
import type { FlagState } from '../../flags/flag-state.ts';
import { allOf, anyOf, type Bounds, exactly, isExact, joinBounds, type Logic, negate } from './json-logic.ts';
import { writeQuestion } from './write-condition.ts';

/** A file of flagd's flag definitions, and what it cannot say. */
export interface FlagdExport {
  readonly document: {
    readonly $schema: string;
    readonly $evaluators?: Readonly<Record<string, Logic>>;
    readonly flags: Readonly<Record<string, object>>;
  };
  /** Each a code and where: `rule-left-out=banner/Beta users`. */
  readonly warnings: readonly string[];
}

/** What of a flag is exported. */
export type ExportedFlag = Pick<
  FlagState,
  'key' | 'flagType' | 'status' | 'enabled' | 'variations' | 'defaultVariation' | 'rules' | 'prerequisites'
>;

/** Segments by key, as rules refer to them, and what the file holds of them. */
export interface Evaluators {
  readonly bounds: ReadonlyMap<string, Bounds>;
  readonly written: Readonly<Record<string, Logic>>;
  readonly refer: CompiledSegments['refer'];
}

/**
 * The flags of one environment for flagd. flagd never serves a rule to more users than we do (decisions/0027): where it
 * cannot tell who belongs to a rule, it serves them the default. The warnings name everything that is lost.
 */
export function writeFlagd(flags: readonly ExportedFlag[], rows: readonly SegmentRow[]): FlagdExport {
  const warnings: string[] = [];
  const evaluators = writeSegments(rows, warnings);
  const written: Record<string, object> = {};
  for (const flag of flags) {
    if (isSayable(flag, evaluators)) written[flag.key] = writeFlag(flag, evaluators, warnings);
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

/** The evaluator of what a segment may hold at most; no segment's own key has a slash. */
const possibleKey = (key: string): string => `${key}/possible`;

export function writeSegments(rows: readonly SegmentRow[], warnings: string[]): Evaluators {
  const { segments, refer } = compileSegments(rows);
  const bounds = new Map<string, Bounds>();
  const written: Record<string, Logic> = {};
  /** The name of the logic, or the logic itself when the file cannot hold it by name. */
  const refTo = (key: string, logic: Logic): Logic => {
    const owner = key.split('/')[0]!;
    // What stands beside a segment is never there without it.
    if (!isReferable(logic) || (owner !== key && !Object.hasOwn(written, owner))) return logic;
    written[key] = logic;
    return { $ref: key };
  };
  for (const { key, conditions } of segments) {
    const said = joinBounds(conditions.map(writeQuestion), allOf);
    if (said.sure === false && said.possible !== false) warnings.push(`segment-left-out=${key}`);
    else if (!isExact(said)) warnings.push(`segment-narrowed=${key}`);
    const sure = refTo(key, said.sure);
    bounds.set(key, { sure, possible: isExact(said) ? sure : refTo(possibleKey(key), said.possible) });
  }
  return { bounds, written, refer };
}

/** flagd-core replaces names in the text of the file by `replaceAll`, which reads `$&` and the like in the logic. */
function isReferable(logic: Logic): boolean {
  return typeof logic === 'object' && !/\$[$&`']/.test(JSON.stringify(logic));
}

/** flagd takes only objects as json variations, and would resolve what looks like a reference inside them. */
function isSayable({ flagType, variations }: ExportedFlag, { written }: Evaluators): boolean {
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
 * Conditions and what they serve, in turn. A rule that flagd cannot say exactly is followed by a branch that serves the
 * default to everyone whom the rule may match: they must not reach the rules behind it.
 */
function writeRules(flag: ExportedFlag, evaluators: Evaluators, warnings: string[]): readonly Logic[] {
  const branches: Logic[] = [];
  let pending: Logic[] = [];
  let isCut = false;
  for (const rule of flag.rules) {
    const place = `${flag.key}/${rule.name || rule.id}`;
    if (isCut) {
      warnings.push(`rule-cut=${place}`);
      continue;
    }
    const bounds = ruleBounds(rule.conditions, evaluators);
    const { sure, possible } = bounds;
    // It never matches here either.
    if (possible === false) continue;
    if (sure === false) warnings.push(`rule-left-out=${place}`);
    else if (!isExact(bounds)) warnings.push(`rule-narrowed=${place}`);
    if (sure !== false) {
      branches.push(...pending, sure, targetOf(flag, rule, place, warnings));
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
      condition.attribute === '$segment' ? membership(refer(condition), bounds) : writeQuestion(condition),
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

/** Shares are kept, but flagd hashes in its own way, so other users get them. */
function targetOf(
  flag: ExportedFlag,
  rule: ExportedFlag['rules'][number],
  place: string,
  warnings: string[],
): Logic {
  if (rule.percentage_rollout === undefined) return rule.variation;
  warnings.push(`rollouts-reach-other-users=${place}`);
  const shares = rule.percentage_rollout.map(({ variation, percentage }) => [variation, percentage]);
  const rest = 100 - rule.percentage_rollout.reduce((sum, { percentage }) => sum + percentage, 0);
  return { fractional: rest > 0 ? [...shares, [flag.defaultVariation, rest]] : shares };
}
