import { createEvaluator, type Evaluator } from '@flagsvc/sdk-core';
import { useMemo } from 'react';
import type { Environment, Flag } from '../api/types.ts';
import { SEGMENT } from '../app/conditions/condition.ts';
import { useFlagDraft } from '../app/drafts/flag-draft.ts';
import { withEdit } from './edited-ruleset.ts';

/** Evaluators of what is saved and of what is edited. */
export interface Evaluators {
  readonly saved: Evaluator;
  /** Undefined when the flag has no unsaved edit here. */
  readonly edited: Evaluator | undefined;
  /** The saved rules of the flag, also while it is off. */
  readonly rules: Flag['targeting_rules'];
}

/** The evaluators of an environment's ruleset, without and with the unsaved edit of a flag. */
export function useEvaluators(
  ruleset: Evaluator['ruleset'] | undefined,
  flag: Flag | undefined,
  environment: Environment,
): Evaluators | undefined {
  const draft = useFlagDraft(flag?.id ?? '', environment.id).value;
  const saved = useMemo(() => ruleset && createEvaluator(ruleset), [ruleset]);
  const edited = useMemo(
    () => (ruleset && flag && draft ? createEvaluator(withEdit(ruleset, flag.key, draft.mine)) : undefined),
    [ruleset, flag, draft],
  );
  return saved && { saved, edited, rules: flag?.targeting_rules ?? [] };
}

/** The attributes that the rules of the flag and their segments look at. */
export function askedAttributes({ saved, rules }: Evaluators): readonly string[] {
  const conditions = rules.flatMap((rule) => rule.conditions);
  const named = new Set(
    conditions.filter(({ attribute }) => attribute === SEGMENT).flatMap(({ value }) => value),
  );
  const members = saved.ruleset.segments.filter(({ key }) => named.has(key)).flatMap((one) => one.conditions);
  const names = [...conditions, ...members].map(({ attribute }) => attribute);
  return [...new Set(names)].filter((name) => name !== SEGMENT && name !== 'user_key');
}
