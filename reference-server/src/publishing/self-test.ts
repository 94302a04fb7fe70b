import { isDeepStrictEqual } from 'node:util';
import type { Condition, Context, Evaluator, Flag, Json } from '@flagsvc/sdk-core';
import type { Pages } from '../data-plane/fast-path/prepared-chunks.ts';
import { createTimeSlice } from '../lib/time-slice.ts';

/** A flag that does not answer by one of its variations. */
export interface SelfTestFault {
  readonly flagKey: string;
  /** The rule that it is about; null for the default variation. */
  readonly ruleId: string | null;
  readonly message: string;
}

/** Something of each type that a condition may meet. */
const VALUES: readonly Json[] = ['text', '1.0.0', 1, true, ['text', 1]];

/** What is wrong with a flag that the evaluator has, found by asking for it as its rules would have it. */
export function testFlag(flag: Flag, evaluator: Pick<Evaluator, 'evaluate'>): SelfTestFault | undefined {
  const variations = new Map(flag.variations.map(({ key, value }) => [key, value]));
  const fault = (ruleId: string | null, message: string) => ({ flagKey: flag.key, ruleId, message });
  // The evaluator serves the default variation where a rule serves none that there is.
  for (const { id, variation, percentage_rollout } of flag.targeting_rules) {
    const served = percentage_rollout?.map((entry) => entry.variation) ?? [variation ?? ''];
    const unknown = served.find((key) => !variations.has(key));
    if (unknown !== undefined) return fault(id, `serves "${unknown}", which is no variation`);
  }
  for (const context of contextsFor(flag)) {
    const { variation_key, value, reason, rule_id } = evaluator.evaluate(flag.key, context);
    const isOwn = variation_key !== null && variations.has(variation_key);
    if (isOwn && isDeepStrictEqual(value, variations.get(variation_key))) continue;
    return fault(
      rule_id,
      `answers ${reason} with "${variation_key}", which is no variation, or not its value`,
    );
  }
  return undefined;
}

/**
 * Tests the flags that differ from the version before, in which they would be served instead. One that was wrong there
 * already is not held against the others.
 */
export async function testChanged(pages: Pages, before: Pages): Promise<SelfTestFault | undefined> {
  const slice = createTimeSlice();
  const kept = new Set(before.list);
  for (const page of pages.list) {
    if (kept.has(page)) continue;
    for (const flag of page.flags) {
      const there = before.of(flag.key);
      if (there.flags.includes(flag)) continue;
      const fault = testFlag(flag, page.evaluator);
      const past = fault && there.flags.find(({ key }) => key === flag.key);
      if (fault !== undefined && (past === undefined || testFlag(past, there.evaluator) === undefined))
        return fault;
      if (slice.isOver()) await slice.yieldToOthers();
    }
  }
  return undefined;
}

/** Nobody, somebody, and whoever has everything that the rules ask about: of each type, and just as they want it. */
function contextsFor({ targeting_rules }: Flag): readonly Context[] {
  const user_key = 'self-test';
  const conditions = targeting_rules.flatMap((rule) => rule.conditions);
  const nobody: readonly Context[] = [{}, { user_key }];
  if (conditions.length === 0) return nobody;
  const having = (give: (condition: Condition) => Json): Context => ({
    user_key,
    attributes: Object.fromEntries(conditions.map((condition) => [condition.attribute, give(condition)])),
  });
  return [...nobody, ...VALUES.map((value) => having(() => value)), having(wantedBy)];
}

/** A pattern is no text that it matches, and a long one to read. */
function wantedBy({ operator, value }: Condition): Json {
  if (operator === 'matches_regex') return '';
  return Array.isArray(value) ? (value[0] ?? null) : value;
}
