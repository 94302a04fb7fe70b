import { createHash } from 'node:crypto';
import type { Context, EvaluationResult, Flag, Json, Reason } from '@flagsvc/sdk-core';
import { canonicalJson } from '../canonical-json.ts';
import type { KeyGrant, PublishedRuleset } from '../ports.ts';

/** A flag's result in the words of OpenFeature's remote evaluation protocol. */
export interface OfrepResult {
  readonly key: string;
  readonly value: unknown;
  readonly reason: string;
  readonly variant: string | null;
  readonly metadata: Readonly<Record<string, string | number>>;
}

/** What OFREP calls our reasons; a default value is static only where nobody could get another one. */
const REASONS: Readonly<Record<Exclude<Reason, 'DEFAULT' | 'FLAG_NOT_FOUND'>, string>> = {
  TARGETING_RULE: 'TARGETING_MATCH',
  PERCENTAGE_ROLLOUT: 'SPLIT',
  DISABLED: 'DISABLED',
  PREREQUISITE: 'UNKNOWN',
};

/** Undefined when the flag does not exist. */
export function toOfrep(
  flag: Flag | undefined,
  key: string,
  result: EvaluationResult,
): OfrepResult | undefined {
  const { value, reason, rule_id, variation_key } = result;
  if (reason === 'FLAG_NOT_FOUND' || flag === undefined) return undefined;
  const isStatic = flag.targeting_rules.length === 0 && (flag.prerequisites ?? []).length === 0;
  return {
    key,
    value,
    reason: reason === 'DEFAULT' ? (isStatic ? 'STATIC' : 'UNKNOWN') : REASONS[reason],
    variant: variation_key,
    metadata: { flagsvc_reason: reason, ...(rule_id !== null && { rule_id }) },
  };
}

const indexes = new WeakMap<PublishedRuleset, ReadonlyMap<string, Flag>>();

/** The flags of a version by key, made once. */
export function flagsOf(published: PublishedRuleset): ReadonlyMap<string, Flag> {
  let index = indexes.get(published);
  if (index === undefined) {
    index = new Map(published.evaluator.ruleset.flags.map((flag) => [flag.key, flag]));
    indexes.set(published, index);
  }
  return index;
}

/** One tag for one version, one user and one key. */
export function bulkEtag({ etag, epoch }: PublishedRuleset, context: Context, { keyId }: KeyGrant): string {
  const text = canonicalJson([epoch, etag, keyId, context as unknown as Json]);
  return `W/"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;
}
