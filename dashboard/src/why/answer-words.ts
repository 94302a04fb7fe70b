import type { Account, Step, Test } from './account.ts';
import { t } from './messages.ts';
import type { Names } from './names.ts';
import { shortValue } from './value-words.ts';

type RuleStep = Extract<Step, { kind: 'rule' }>;
type NeedsStep = Extract<Step, { kind: 'needs' }>;

/** Why the user gets it, in one sentence. */
export function summaryOf({ steps, flag }: Account, names: Names, environment: string): string {
  if (flag.archived === true) return t.summary.archived;
  if (!flag.enabled) return t.summary.off(environment);
  const failed = steps.find((step): step is NeedsStep => step.kind === 'needs' && step.state === 'failed');
  if (failed) return t.summary.needs(names.flag(failed.flagKey), failed.variation);
  const rule = steps.find(
    (step): step is RuleStep => step.kind === 'rule' && (step.state === 'here' || step.state === 'passed'),
  );
  if (rule === undefined)
    return steps.some(({ kind }) => kind === 'rule') ? t.summary.noMatch : t.summary.noRules;
  const name = ruleName(rule, names);
  if (rule.split === undefined) return t.summary.rule(name);
  const { by, bucket, gates } = rule.split;
  if (bucket === undefined) return t.summary.noUnit(name, unitName(by));
  const closed = gates.findIndex(({ passed }) => !passed);
  if (closed !== -1) return t.summary.gate(name, gates.length === 1 ? undefined : closed + 1);
  return rule.split.hit === undefined
    ? t.summary.outside(name)
    : t.summary.split(name, names.variation(rule.split.hit.variation));
}

/** What a split divides, in words: "user key", or the name of the attribute. */
export const unitName = (by: string): string => (by === 'user_key' ? t.split.userKey : by);

/** "Rule 2, Pro customers in Benelux". */
export function ruleName({ id, number }: RuleStep, names: Names): string {
  const name = names.rule(id);
  return name === '' ? t.rule(number) : t.namedRule(number, name);
}

const VERSIONS = new Set(['version_gt', 'version_lt']);

/** What the context has where a condition looks: "has LU", "is missing", "in neither". */
export function hasWords({ condition, state, actual, segments }: Test, names: Names): string {
  if (state === 'skipped') return t.has.skipped;
  if (segments !== undefined) {
    const found = segments.filter(({ isIn }) => isIn).map(({ key }) => names.segment(key));
    if (found.length > 0) return t.has.inSegments(found);
    return segments.length > 1 ? t.has.inNone : t.has.notIn;
  }
  if (actual === undefined) return t.has.missing;
  if (actual === null) return t.has.nothing;
  if (typeof actual === 'object' && !Array.isArray(actual)) return t.has.object;
  if (state === 'unmet' && VERSIONS.has(condition.operator) && typeof actual !== 'string')
    return t.has.notVersion(shortValue(actual));
  return t.has.value(Array.isArray(actual) ? actual.map(shortValue).join(', ') : shortValue(actual));
}
