import { type FlagState, fieldsOf } from './flag-state.ts';

/** What the audit log compares of a flag in all its environments, each of them by its key. */
export function fieldsEverywhere(states: readonly FlagState[], environmentKeys: ReadonlyMap<string, string>) {
  const [shown] = states as [FlagState];
  const { enabled, default_variation, targeting_rules, prerequisites, ...shared } = fieldsOf(shown);
  const environments = byEnvironment(states, environmentKeys, (state) => {
    const { enabled, default_variation, targeting_rules, prerequisites } = fieldsOf(state);
    return { enabled, default_variation, targeting_rules, prerequisites };
  });
  return { ...shared, environments };
}

/** Something of a flag in each environment, by its key. */
export function byEnvironment<T>(
  states: readonly FlagState[],
  environmentKeys: ReadonlyMap<string, string>,
  read: (state: FlagState) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    states.map((state) => [environmentKeys.get(state.environmentId) ?? state.environmentId, read(state)]),
  );
}
