import { isDeepStrictEqual } from 'node:util';
import type { Condition, Context, Evaluator, Flag, Json } from '@flagsvc/sdk-core';
import { createTimeSlice } from '../lib/time-slice.ts';

/** A flag that serves something other than one of its variations. */
export interface SelfTestFault {
  readonly flagKey: string;
  /** The rule at fault; null for the default variation. */
  readonly ruleId: string | null;
  readonly message: string;
}

/** One value of each type that a condition may compare. */
const VALUES: readonly Json[] = ['text', '1.0.0', 1, true, ['text', 1]];

/** Evaluates a flag for the contexts that its rules describe, and reports the first result that is wrong. */
export function testFlag(flag: Flag, evaluator: Pick<Evaluator, 'evaluate'>): SelfTestFault | undefined {
  const variations = new Map(flag.variations.map(({ key, value }) => [key, value]));
  const fault = (ruleId: string | null, message: string) => ({ flagKey: flag.key, ruleId, message });
  // Checked here because the evaluator serves the default variation in place of an unknown one.
  for (const { id, variation, percentage_rollout } of flag.targeting_rules) {
    const served = percentage_rollout?.map((entry) => entry.variation) ?? [variation ?? ''];
    const unknown = served.find((key) => !variations.has(key));
    if (unknown !== undefined) return fault(id, `serves "${unknown}", which is not a variation`);
  }
  for (const context of contextsFor(flag)) {
    const { variation_key, value, reason, rule_id } = evaluator.evaluate(flag.key, context);
    const isOwn = variation_key !== null && variations.has(variation_key);
    if (isOwn && isDeepStrictEqual(value, variations.get(variation_key))) continue;
    return fault(
      rule_id,
      `answers ${reason} with "${variation_key}", which is not a variation or has another value`,
    );
  }
  return undefined;
}

/**
 * Tests the flags that differ from the version being served. A flag that was already broken there is accepted, so that
 * it does not block changes of other flags.
 */
export async function testChanged(
  next: { readonly evaluator: Evaluator },
  served: { readonly evaluator: Evaluator },
): Promise<SelfTestFault | undefined> {
  const slice = createTimeSlice();
  for (const [flag, past] of changedFlags(next.evaluator.ruleset.flags, served.evaluator.ruleset.flags)) {
    const fault = testFlag(flag, next.evaluator);
    const wasSound = past === undefined || testFlag(past, served.evaluator) === undefined;
    if (fault !== undefined && wasSound) return fault;
    if (slice.isOver()) await slice.yieldToOthers();
  }
  return undefined;
}

/**
 * The flags of `next` that are not the same objects in `served`, each with the object of the same key there. Both lists
 * must be sorted by key.
 */
function* changedFlags(
  next: readonly Flag[],
  served: readonly Flag[],
): Iterable<readonly [flag: Flag, past: Flag | undefined]> {
  let at = 0;
  for (const flag of next) {
    while (at < served.length && served[at]!.key < flag.key) at += 1;
    const past = served[at]?.key === flag.key ? served[at] : undefined;
    if (past !== flag) yield [flag, past];
  }
}

/** A context without a user, one without attributes, and users with each attribute of the rules in every type. */
function contextsFor({ targeting_rules }: Flag): readonly Context[] {
  const user_key = 'self-test';
  const conditions = targeting_rules.flatMap((rule) => rule.conditions);
  const bare: readonly Context[] = [{}, { user_key }];
  if (conditions.length === 0) return bare;
  const having = (give: (condition: Condition) => Json): Context => ({
    user_key,
    attributes: Object.fromEntries(conditions.map((condition) => [condition.attribute, give(condition)])),
  });
  return [...bare, ...VALUES.map((value) => having(() => value)), having(wantedBy)];
}

/**
 * The value that a condition compares with. For a pattern, which usually does not match itself, it is the empty text.
 */
function wantedBy({ operator, value }: Condition): Json {
  if (operator === 'matches_regex') return '';
  return Array.isArray(value) ? (value[0] ?? null) : value;
}
