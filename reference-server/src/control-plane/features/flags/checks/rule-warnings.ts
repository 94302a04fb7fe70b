import type { Condition } from '@flagsvc/sdk-core';
import type { Warning } from '../../../../http/warnings.ts';
import { segmentKeysIn } from '../../../../lib/segment-keys.ts';
import { compileSegments, type SegmentRow } from '../../../../publishing/compile-segments.ts';
import {
  findUnreachable,
  type SegmentConditions,
  type Unreachable,
} from '../../../../publishing/unreachable-rules.ts';
import type { Queryable } from '../../../../storage/database.ts';
import type { StoredRule } from '../flag-schemas.ts';
import type { FlagPorts } from '../flag-service.ts';
import type { FlagState } from '../flag-state.ts';

/** A flag's rules in one environment, in the order of evaluation. */
interface Ruled {
  readonly key: string;
  readonly environmentId: string;
  readonly rules: readonly {
    readonly id: string;
    readonly name?: string;
    readonly conditions: readonly Condition[];
  }[];
}

/** The segments of a project, as rules ask about them. */
export interface RuleScope {
  readonly segments: SegmentConditions;
  /** The condition as it is compiled. */
  readonly refer: (condition: Condition) => Condition;
}

export function ruleScope(rows: readonly SegmentRow[]): RuleScope {
  const { segments, refer } = compileSegments(rows);
  return { segments: new Map(segments.map(({ key, conditions }) => [key, conditions])), refer };
}

/** The segments that rules ask about; read only where a rule names one. */
export async function readRuleScope(
  db: Queryable,
  { listSegments }: Pick<FlagPorts, 'listSegments'>,
  {
    organizationId,
    projectId,
    rules,
  }: Pick<FlagState, 'organizationId' | 'projectId'> & {
    readonly rules: readonly { readonly conditions: readonly Condition[] }[];
  },
): Promise<RuleScope> {
  const isNeeded = rules.some((rule) => segmentKeysIn(rule).length > 0);
  return ruleScope(isNeeded ? await listSegments(db, organizationId, projectId) : []);
}

/** What is allowed in a flag's rules and seldom meant. */
export async function warnOfRules(
  db: Queryable,
  ports: Pick<FlagPorts, 'listSegments'>,
  flag: FlagState,
): Promise<readonly Warning[]> {
  return ruleWarnings(flag, await readRuleScope(db, ports, flag));
}

/** The same with the segments at hand. */
export function ruleWarnings(
  flag: Pick<FlagState, 'key' | 'environmentId' | 'rules'>,
  scope: RuleScope,
): readonly Warning[] {
  const { rules } = flag;
  const dead = unreachableRules(rules, scope).map((found) => warningOf(flag, found));
  const about = { flag_key: flag.key, environment_id: flag.environmentId };
  const repeating = rules.flatMap(({ id, percentage_rollout: rollout = [] }, index): Warning[] =>
    isRepeating(rollout.map((one) => one.variation))
      ? [
          {
            code: 'repeated-variation',
            field: `targeting_rules.${index}.percentage_rollout`,
            message: `The rollout of ${nameOf(rules, index)} of ${flag.key} names a variation twice.`,
            remedy: 'Add its shares up in one entry, unless the order of buckets is meant.',
            details: { ...about, rule_id: id },
          },
        ]
      : [],
  );
  const equal: readonly Warning[] = isRepeating(rules.map((rule) => rule.priority))
    ? [
        {
          code: 'equal-priorities',
          field: 'targeting_rules',
          message: `Rules of ${flag.key} have the same priority; they are tried in the order in which they are listed.`,
          remedy: 'Give each rule a priority of its own.',
          details: about,
        },
      ]
    : [];
  return [...dead, ...equal, ...repeating];
}

/** What changed segments make of rules that were written before: those that can no longer decide. */
export function warnOfSegments(
  configs: readonly {
    readonly flagKey: string;
    readonly environmentId: string;
    readonly rules: readonly StoredRule[];
  }[],
  { before, after }: { readonly before: readonly SegmentRow[]; readonly after: readonly SegmentRow[] },
): readonly Warning[] {
  const [past, present] = [ruleScope(before), ruleScope(after)];
  return configs.flatMap(({ flagKey: key, environmentId, rules }) => {
    const known = new Set(unreachableRules(rules, past).map(({ index }) => index));
    const fresh = unreachableRules(rules, present).filter(({ index }) => !known.has(index));
    return fresh.map((found) => warningOf({ key, environmentId, rules }, found));
  });
}

/** Whether a rule matches everyone: it has no conditions, or only such as ask for a segment of everyone. */
export function matchesEveryone(rule: Pick<Ruled['rules'][number], 'conditions'>, scope: RuleScope): boolean {
  const [found] = unreachableRules([rule, { conditions: [] }], scope);
  return found?.code === 'rule-unreachable' && found.byEveryone;
}

function unreachableRules(
  rules: readonly Pick<Ruled['rules'][number], 'conditions'>[],
  { segments, refer }: RuleScope,
): readonly Unreachable[] {
  const compiled = rules.map(({ conditions }) => ({ conditions: conditions.map(refer) }));
  return findUnreachable(compiled, segments);
}

/** A rule that never decides, in words. */
export function warningOf({ key, environmentId, rules }: Ruled, found: Unreachable): Warning {
  const { code, index } = found;
  const field = `targeting_rules.${index}`;
  const about = { flag_key: key, environment_id: environmentId, rule_id: rules[index]!.id };
  const rule = `${capitalize(nameOf(rules, index))} of ${key} never decides`;
  const short = `rule ${index + 1}`;
  if (found.code === 'rule-never-matches') {
    const { conditions } = found;
    const shown = conditions.map((at) => textOf(rules[index]!.conditions[at]!));
    const why = shown.length === 1 ? 'is met by nobody' : 'exclude each other';
    return {
      code,
      field,
      message: `${rule}: ${shown.join(' and ')} ${why}.`,
      remedy: `Correct the conditions of ${short}, or remove it.`,
      details: { ...about, conditions },
    };
  }
  const { shadowedBy, byEveryone } = found;
  const other = `rule ${shadowedBy + 1}`;
  const whom = byEveryone ? 'everyone' : `every user whom ${short} matches`;
  return {
    code,
    field,
    message: `${rule}: ${nameOf(rules, shadowedBy)} comes first and matches ${whom}.`,
    remedy: `Move ${short} before ${other}, ${byEveryone ? `give ${other} conditions` : `narrow ${other}`}, or remove ${short}.`,
    details: { ...about, shadowed_by: rules[shadowedBy]!.id },
  };
}

/** `rule 2 ("testers")`. */
function nameOf(rules: Ruled['rules'], index: number): string {
  const name = rules[index]?.name;
  return `rule ${index + 1}${name ? ` ("${name}")` : ''}`;
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Lists can be long: what tells a condition from another is its beginning. */
const VALUE_SHOWN_MAX = 60;

function textOf({ attribute, operator, value }: Condition): string {
  const text = JSON.stringify(value);
  const shown = text.length > VALUE_SHOWN_MAX ? `${text.slice(0, VALUE_SHOWN_MAX)}…` : text;
  return `${attribute} ${operator} ${shown}`;
}

function isRepeating(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length;
}
