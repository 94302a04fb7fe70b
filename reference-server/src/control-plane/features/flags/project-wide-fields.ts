import { type FlagState, fieldsOf } from './flag-state.ts';

/**
 * The fields that the audit log compares for a flag in all its environments. The configuration of each environment is
 * under the environment's key.
 */
export function projectWideFields(
  states: readonly FlagState[],
  environmentKeys: ReadonlyMap<string, string>,
) {
  const [first] = states as [FlagState];
  const { enabled, default_variation, targeting_rules, prerequisites, ...shared } = fieldsOf(first);
  const environments = byEnvironmentKey(states, environmentKeys, (state) => {
    const { enabled, default_variation, targeting_rules, prerequisites } = fieldsOf(state);
    return { enabled, default_variation, targeting_rules, prerequisites };
  });
  return { ...shared, environments };
}

/** The result of `read` for each state, by the key of the state's environment. */
export function byEnvironmentKey<T>(
  states: readonly FlagState[],
  environmentKeys: ReadonlyMap<string, string>,
  read: (state: FlagState) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    states.map((state) => [environmentKeys.get(state.environmentId) ?? state.environmentId, read(state)]),
  );
}
