import { createEvaluator, type Evaluator, type EvaluatorOptions } from '../evaluator/evaluator.ts';
import { parseRuleset } from '../evaluator/ruleset.ts';
import { changedFlags } from './changed-flags.ts';
import type { Report } from './errors.ts';
import type { RulesetSource, Snapshot } from './ports.ts';

/** A ruleset that is evaluated where the client runs. */
export interface LocalSnapshot extends Pick<Snapshot, 'version' | 'exposes'>, Evaluator {}

/** A ruleset made ready to answer; undefined when it is not whole. */
export const loadRuleset = (
  data: unknown,
  report: Report,
  options?: EvaluatorOptions,
): LocalSnapshot | undefined => {
  const { ruleset, faults } = parseRuleset(data);
  // One broken flag is left out; if all are, it is the ruleset that is broken.
  if (!ruleset || (faults.length && !ruleset.flags.length)) return;
  for (const { path, code } of faults) report('BROKEN_FLAG', `${path} ${code}`);
  const exposes = new Map(ruleset.flags.map(({ key, track_exposures }) => [key, track_exposures]));
  return {
    ...createEvaluator(ruleset, options),
    version: ruleset.version,
    exposes: (flagKey) => !!exposes.get(flagKey),
  };
};

/** `GET /sdk/ruleset`, evaluated here. Without a context of its own, a change is a changed definition. */
export const createLocalSource = (options?: EvaluatorOptions): RulesetSource<LocalSnapshot> => ({
  request: () => ({ path: '/sdk/ruleset' }),
  load(data, report) {
    const loaded = loadRuleset(data, report, options);
    // In the shadow, before anybody is served: a ruleset that cannot be evaluated never replaces one that can.
    loaded?.visitAll({ user_key: 'shadow' }, () => {});
    return loaded;
  },
  changes: (previous, next) => changedFlags(previous?.ruleset, next.ruleset),
});
