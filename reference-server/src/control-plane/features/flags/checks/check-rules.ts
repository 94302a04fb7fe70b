import { fieldFault } from '../../../../http/errors.ts';
import type { NewId } from '../../../../storage/ids.ts';
import { checkConditions } from '../../targeting/check-conditions.ts';
import { createPatternAllowance } from '../../targeting/pattern-allowance.ts';
import type { RuleInput, StoredRule } from '../flag-schemas.ts';
import { checkBucketing } from './check-bucketing.ts';

/** What the rules of a flag can refer to in one environment. */
export interface RuleReferences {
  readonly variationKeys: ReadonlySet<string>;
  readonly segmentKeys: ReadonlySet<string>;
  /** Ids of existing rules; a rule that is sent with one of these ids keeps it. */
  readonly knownIds: ReadonlySet<string>;
  /** The rules that are stored now. */
  readonly before: readonly StoredRule[];
  readonly newId: NewId;
}

/**
 * Checks rules and returns them in their stored form: with ids, sorted by priority; rules of equal priority keep their
 * order.
 */
export function checkRules(rules: readonly RuleInput[], references: RuleReferences): readonly StoredRule[] {
  const { variationKeys, segmentKeys, knownIds, before, newId } = references;
  const used = new Set<string>();
  const patterns = createPatternAllowance(before.flatMap(({ conditions }) => conditions));
  const checked = rules.map((rule, index) => {
    const field = `targeting_rules.${index}`;
    const keepsId = rule.id !== undefined && knownIds.has(rule.id) && !used.has(rule.id);
    const id = keepsId ? rule.id! : newId('rule');
    used.add(id);
    const scope = { field: `${field}.conditions`, segmentKeys, patterns };
    return {
      id,
      priority: rule.priority,
      name: rule.name ?? '',
      conditions: [...checkConditions(rule.conditions, scope)] as StoredRule['conditions'],
      ...checkTarget(rule, field, variationKeys),
      ...checkBucketing(rule, field),
    };
  });
  return checked.sort((left, right) => left.priority - right.priority);
}

/** "A rule has either `variation` or `percentage_rollout`." */
function checkTarget(rule: RuleInput, field: string, variationKeys: ReadonlySet<string>) {
  const { variation, percentage_rollout: rollout } = rule;
  if ((variation != null) === (rollout != null) || rollout?.length === 0) {
    throw fieldFault('RULE_TARGET_INVALID', field);
  }
  const requireVariation = (key: string, keyField: string): void => {
    if (!variationKeys.has(key)) throw fieldFault('RULE_VARIATION_UNKNOWN', keyField, { variation: key });
  };
  if (variation != null) {
    requireVariation(variation, `${field}.variation`);
    return { variation };
  }
  const sum = rollout!.reduce((total, entry) => total + entry.percentage, 0);
  if (sum > 100) throw fieldFault('RULE_ROLLOUT_EXCEEDS_100', `${field}.percentage_rollout`, { sum });
  for (const [index, entry] of rollout!.entries()) {
    requireVariation(entry.variation, `${field}.percentage_rollout.${index}.variation`);
  }
  return {
    percentage_rollout: rollout!.map((entry) => ({
      variation: entry.variation,
      percentage: entry.percentage,
    })),
  };
}
