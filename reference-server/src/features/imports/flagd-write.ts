import type { Condition } from '@flagsvc/sdk-core';
import type { FlagState } from '../flags/flag-state.ts';
import type { DocumentSegment } from './document.ts';

/** JSONLogic as flagd evaluates it. */
export type Logic = unknown;

/** A file of flagd's flag definitions, and what it cannot say. */
export interface FlagdExport {
  readonly document: {
    readonly $schema: string;
    readonly $evaluators?: Readonly<Record<string, Logic>>;
    readonly flags: Readonly<Record<string, object>>;
  };
  readonly warnings: readonly string[];
}

/**
 * The flags of one environment for flagd. Shares of a rollout are kept, but flagd hashes in its own way, so other
 * users get them. Rules that it cannot say are left out, never loosened, and named in a warning.
 */
export function writeFlagd(flags: readonly FlagState[], segments: readonly DocumentSegment[]): FlagdExport {
  const warnings: string[] = [];
  const evaluators: Record<string, Logic> = {};
  for (const segment of segments) {
    const logic = writeSegment(segment);
    if (logic === undefined) warnings.push(`segment-left-out=${segment.key}`);
    else evaluators[segment.key] = logic;
  }
  const written = flags.map((flag) => [flag.key, writeFlag(flag, evaluators, warnings)] as const);
  return {
    document: {
      $schema: 'https://flagd.dev/schema/v0/flags.json',
      ...(Object.keys(evaluators).length > 0 && { $evaluators: evaluators }),
      flags: Object.fromEntries(written),
    },
    warnings,
  };
}

/** Undefined when flagd cannot say it. */
function writeSegment({ conditions, included, excluded = [] }: DocumentSegment): Logic | undefined {
  const logic = conditions.map((condition) => writeCondition(condition, {}));
  if (logic.includes(undefined)) return undefined;
  const user = { var: 'targetingKey' };
  const listed = included && { in: [user, included] };
  const members =
    listed === undefined ? allOf(logic) : logic.length === 0 ? listed : { or: [allOf(logic), listed] };
  return excluded.length === 0 ? members : { and: [members, { '!': { in: [user, excluded] } }] };
}

function writeFlag(flag: FlagState, evaluators: Record<string, Logic>, warnings: string[]): object {
  if (flag.prerequisites.length > 0) warnings.push(`prerequisites-left-out=${flag.key}`);
  const branches: Logic[] = [];
  for (const rule of flag.rules) {
    const conditions = rule.conditions.map((condition) => writeCondition(condition, evaluators));
    if (conditions.includes(undefined)) {
      warnings.push(`rule-left-out=${flag.key}/${rule.name || rule.id}`);
      continue;
    }
    branches.push(allOf(conditions), targetOf(flag, rule));
    if (conditions.length === 0) break;
  }
  // A flag that waits for others cannot be told to: it then serves its default, as a blocked flag does.
  const isOn = flag.enabled && flag.status !== 'archived' && flag.prerequisites.length === 0;
  return {
    state: isOn ? 'ENABLED' : 'DISABLED',
    variants: Object.fromEntries(flag.variations.map(({ key, value }) => [key, value])),
    defaultVariant: flag.defaultVariation,
    ...(branches.length > 0 && { targeting: { if: [...branches, null] } }),
  };
}

function targetOf(flag: FlagState, rule: FlagState['rules'][number]): Logic {
  if (rule.percentage_rollout === undefined) return rule.variation;
  const shares = rule.percentage_rollout.map(({ variation, percentage }) => [variation, percentage]);
  const rest = 100 - rule.percentage_rollout.reduce((sum, { percentage }) => sum + percentage, 0);
  return { fractional: rest > 0 ? [...shares, [flag.defaultVariation, rest]] : shares };
}

function allOf(logic: readonly Logic[]): Logic {
  if (logic.length === 0) return true;
  return logic.length === 1 ? logic[0] : { and: logic };
}

/** Undefined when flagd cannot say it. */
function writeCondition(
  { attribute, operator, value }: Condition,
  evaluators: Readonly<Record<string, Logic>>,
): Logic | undefined {
  if (attribute === '$segment') return writeMembership(operator, value as readonly string[], evaluators);
  const fact = { var: attribute === 'user_key' ? 'targetingKey' : attribute };
  switch (operator) {
    case 'is':
      return { '===': [fact, value] };
    case 'is_not':
      return { '!==': [fact, value] };
    case 'contains':
      return { in: [value, fact] };
    case 'not_contains':
      return { '!': { in: [value, fact] } };
    case 'one_of':
      return { in: [fact, value] };
    case 'not_one_of':
      return { '!': { in: [fact, value] } };
    case 'gt':
      return { '>': [fact, value] };
    case 'lt':
      return { '<': [fact, value] };
    case 'version_gt':
      return { sem_ver: [fact, '>', value] };
    case 'version_lt':
      return { sem_ver: [fact, '<', value] };
    default:
      return undefined;
  }
}

function writeMembership(
  operator: string,
  keys: readonly string[],
  evaluators: Readonly<Record<string, Logic>>,
): Logic | undefined {
  if (keys.some((key) => !Object.hasOwn(evaluators, key))) return undefined;
  const refs = keys.map((key) => ({ $ref: key }));
  const any = refs.length === 1 ? refs[0] : { or: refs };
  return operator === 'one_of' ? any : { '!': any };
}
