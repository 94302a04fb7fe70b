import type { Plan } from '../../../write-gate/change.ts';
import type { FlagRecord } from '../flag-schemas.ts';
import { configRow, type FlagState, fieldsOf, flagRow, resourceOf, toRecord } from '../flag-state.ts';
import { insertFlag } from '../flag-store.ts';

/** Inserts a checked flag with its state in each environment, and returns the record of `shown`. */
export function planInsert(shown: FlagState, states: readonly FlagState[]): Plan<FlagRecord> {
  // Rulesets contain no drafts.
  const isServed = shown.status !== 'draft';
  return {
    resource: resourceOf(shown),
    before: null,
    after: fieldsOf(shown),
    reach: {
      ...(isServed
        ? { served: { environmentIds: states.map((state) => state.environmentId), flagKeys: [shown.key] } }
        : { prepared: { environmentIds: preparedIn(states) } }),
      shared: { requires: 'named-environments' },
    },
    async write(tx) {
      await insertFlag(tx, flagRow(shown), states.map(configRow));
      return toRecord(shown);
    },
  };
}

/** The environments in which a draft differs from a new, switched-off flag. */
function preparedIn(states: readonly FlagState[]): readonly string[] {
  const defaults = new Set(states.map((state) => state.defaultVariation));
  return states
    .filter(({ enabled, rules, prerequisites }) => {
      return enabled || rules.length > 0 || prerequisites.length > 0 || defaults.size > 1;
    })
    .map((state) => state.environmentId);
}
