import { DAY_MS } from '../../../lib/durations.ts';
import type { StaleReason, StoredRule } from '../flags/flag-schemas.ts';
import { rolloutOf } from '../flags/rollout-shares.ts';
import type { StalePolicy } from '../projects/project-settings.ts';

/** Minimum number of evaluations to conclude that a flag serves only one variation. */
const EVALUATIONS_MIN = 100;

/** The configuration of a flag in one environment. */
export interface StaleConfig {
  readonly environmentType: string;
  readonly enabled: boolean;
  readonly defaultVariation: string;
  readonly rules: readonly Pick<
    StoredRule,
    'conditions' | 'variation' | 'percentage_rollout' | 'bucketing'
  >[];
  readonly hasPrerequisites: boolean;
  readonly updatedAt: number;
}

/** Everything that decides whether a flag is stale. Times are milliseconds since 1970. */
export interface StaleCandidate {
  readonly classification: string | null;
  readonly permanent: boolean;
  readonly createdAt: number;
  readonly expectedEndAt: number | null;
  readonly staleAfterDays: number | null;
  readonly snoozedUntil: number | null;
  readonly configs: readonly StaleConfig[];
  /** Last reported evaluation in any environment; null when there was none. */
  readonly lastEvaluatedAt: number | null;
  /** How many different variations production has served since a given time, and in how many evaluations. */
  servedSince(time: number): { readonly variations: number; readonly evaluations: number };
}

/**
 * The reasons for which a flag is stale; empty when it is not. `isReporting` says whether SDKs have reported any
 * evaluation in the project lately.
 */
export function staleReasons(
  flag: StaleCandidate,
  policy: StalePolicy,
  { now, isReporting }: { readonly now: number; readonly isReporting: boolean },
): readonly StaleReason[] {
  if (flag.permanent || flag.classification === 'ops_killswitch' || flag.classification === 'permission') {
    return [];
  }
  if (flag.snoozedUntil !== null && flag.snoozedUntil > now) return [];
  const since = (days: number) => now - (flag.staleAfterDays ?? days) * DAY_MS;
  const reasons: StaleReason[] = [];

  const rolledOutSince = since(policy.rolled_out_days);
  if (isRolledOut(flag.configs) && lastChange(flag) <= rolledOutSince) reasons.push('fully_rolled_out');

  const servedSince = since(policy.single_variation_days);
  const { variations, evaluations } = flag.servedSince(servedSince);
  if (flag.createdAt <= servedSince && variations === 1 && evaluations >= EVALUATIONS_MIN) {
    reasons.push('single_variation_served');
  }

  const evaluatedSince = since(policy.not_evaluated_days);
  // Without any reports, missing evaluations prove nothing.
  if (isReporting && flag.createdAt <= evaluatedSince && (flag.lastEvaluatedAt ?? 0) < evaluatedSince) {
    reasons.push('not_evaluated');
  }

  if (isPastEnd(flag, policy, now)) reasons.push('past_expected_end');
  return reasons;
}

function isPastEnd(flag: StaleCandidate, policy: StalePolicy, now: number): boolean {
  if (flag.expectedEndAt !== null && flag.expectedEndAt < now) return true;
  const lifetimes: Readonly<Record<string, number | undefined>> = policy.lifetime_days;
  const days = flag.staleAfterDays ?? lifetimes[flag.classification ?? ''];
  return (
    days !== undefined &&
    lifetimes[flag.classification ?? ''] !== undefined &&
    flag.createdAt < now - days * DAY_MS
  );
}

function lastChange({ createdAt, configs }: StaleCandidate): number {
  return Math.max(createdAt, ...decisive(configs).map((config) => config.updatedAt));
}

/**
 * The environments that decide whether a flag is rolled out: production environments or, if there are none, those in
 * which the flag is on.
 */
function decisive(configs: readonly StaleConfig[]): readonly StaleConfig[] {
  const production = configs.filter((config) => config.environmentType === 'production');
  return production.length > 0 ? production : configs.filter((config) => config.enabled);
}

/** A flag that is off in production is not rolled out, although it serves only its default there. */
function isRolledOut(configs: readonly StaleConfig[]): boolean {
  const relevant = decisive(configs);
  return (
    relevant.length > 0 && relevant.every((config) => config.enabled && possibleVariations(config).size === 1)
  );
}

/** All variations that a configuration can serve. */
export function possibleVariations({
  enabled,
  defaultVariation,
  rules,
  hasPrerequisites,
}: StaleConfig): ReadonlySet<string> {
  const variations = new Set<string>();
  if (!enabled) return variations.add(defaultVariation);
  if (hasPrerequisites) variations.add(defaultVariation);
  for (const rule of rules) {
    const { conditions, variation, percentage_rollout: rollout } = rule;
    if (rollout === undefined && variation !== undefined) variations.add(variation);
    if (rollout !== undefined) {
      const { shares, isForAll } = rolloutOf(rule);
      for (const entry of shares) if (entry.percentage > 0) variations.add(entry.variation);
      if (!isForAll) variations.add(defaultVariation);
    }
    if (conditions.length === 0) return variations;
  }
  return variations.add(defaultVariation);
}
