import { isDeepStrictEqual } from 'node:util';
import type { FlagState } from '../flags/flag-state.ts';
import { PROMOTABLE } from './promotion-schemas.ts';

/** A flag in two environments. */
export interface ComparedFlag {
  readonly flag_key: string;
  readonly name: string;
  readonly state: 'identical' | 'differs' | 'only_in_source' | 'only_in_target';
  /** The changes that a promotion would make, each from the target's value to the source's. */
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
}

/** Compares the flags of two environments, by key. */
export function compareFlags(
  sourceStates: readonly FlagState[],
  targetStates: readonly FlagState[],
): readonly ComparedFlag[] {
  const sources = new Map(sourceStates.map((state) => [state.key, state]));
  const targets = new Map(targetStates.map((state) => [state.key, state]));
  const keys = [...new Set([...sources.keys(), ...targets.keys()])].sort();
  return keys.map((key): ComparedFlag => {
    const source = sources.get(key);
    const target = targets.get(key);
    const { name } = (source ?? target)!;
    if (source === undefined || target === undefined) {
      const state = source === undefined ? 'only_in_target' : 'only_in_source';
      return { flag_key: key, name, state, changes: {} };
    }
    const changes = configChanges(target, source);
    const state = Object.keys(changes).length > 0 ? 'differs' : 'identical';
    return { flag_key: key, name, state, changes };
  });
}

/** The promotable parts that differ between two configurations. Ids of rules are ignored. */
export function configChanges(from: FlagState, to: FlagState): ComparedFlag['changes'] {
  const [before, after] = [partsOf(from), partsOf(to)];
  return Object.fromEntries(
    PROMOTABLE.filter((part) => !isDeepStrictEqual(before[part], after[part])).map((part) => [
      part,
      { from: before[part], to: after[part] },
    ]),
  );
}

function partsOf(state: FlagState) {
  return {
    enabled: state.enabled,
    default_variation: state.defaultVariation,
    targeting_rules: state.rules.map(({ id: _, ...rule }) => rule),
    prerequisites: state.prerequisites,
  };
}
