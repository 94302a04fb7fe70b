import { createPlainEvaluator, type EvaluatorOptions, type PlainEvaluator } from '../evaluator/evaluator.ts';
import { parseRuleset } from '../evaluator/ruleset.ts';
import { changedFlags } from './changed-flags.ts';
import type { Report } from './errors.ts';
import type { RulesetSource, Snapshot } from './ports.ts';

/** A ruleset that the client evaluates itself, ready to answer. */
export interface LocalSnapshot extends Pick<Snapshot, 'version' | 'exposes' | 'units'>, PlainEvaluator {}

/** Prepares a ruleset for evaluation; undefined if it is unusable. */
export const loadRuleset = (
  data: unknown,
  report: Report,
  options?: EvaluatorOptions,
): LocalSnapshot | undefined => {
  const { ruleset, faults } = parseRuleset(data);
  // A broken flag is left out. If every flag is broken, so is the ruleset.
  if (!ruleset || (faults.length && !ruleset.flags.length)) return;
  for (const { path, code } of faults) report('BROKEN_FLAG', `${path} ${code}`);
  const exposing = new Set(ruleset.flags.filter((flag) => flag.track_exposures).map(({ key }) => key));
  const evaluator = createPlainEvaluator(ruleset, options);
  return {
    ...evaluator,
    version: ruleset.version,
    exposes(flagKey, ruleId) {
      let rule = exposing.has(flagKey) && evaluator.find(flagKey).rules;
      while (rule && rule.id !== ruleId) rule = rule.next;
      return exposing.has(flagKey) && (rule ? rule.by : 'user_key');
    },
    units: new Set(
      ruleset.flags
        .flatMap(({ targeting_rules }) => targeting_rules?.map(({ bucketing }) => Object(bucketing).by))
        .filter((by) => by !== 'user_key'),
    ),
  };
};

/**
 * Fetches `GET /sdk/ruleset` and evaluates it locally. It serves many contexts, so a flag counts as changed when its
 * definition changes.
 */
export const createLocalSource = (options?: EvaluatorOptions): RulesetSource<LocalSnapshot> => ({
  request: () => ({ path: '/sdk/ruleset' }),
  load(data, report) {
    const loaded = loadRuleset(data, report, options);
    // A trial evaluation: a ruleset that cannot be evaluated never replaces one that can.
    loaded?.visitAll({ user_key: 'shadow' }, () => {});
    return loaded;
  },
  changes: (previous, next) => changedFlags(previous?.ruleset, next.ruleset),
});
