import type { Flag, Ruleset } from '../protocol/protocol.ts';
import { toJson } from './json.ts';

/**
 * Keys of the flags that were added, were removed, or can answer differently in the next ruleset. A flag's answer
 * depends on its definition, the segments that its rules name, and the flags that it requires, with everything that
 * these depend on (CL-67).
 */
export const changedFlags = (previous: Ruleset | undefined, next: Ruleset): string[] => {
  const before = definitions(previous);
  const after = definitions(next);
  const changed = new Set(
    [...before.keys(), ...after.keys()].filter((key) => before.get(key) !== after.get(key)),
  );
  const dependents = new Map<string, string[]>();
  for (const { key, prerequisites } of next.flags) {
    for (const { flag_key } of prerequisites ?? []) {
      const list = dependents.get(flag_key);
      if (list) list.push(key);
      else dependents.set(flag_key, [key]);
    }
  }
  // Iterating a set also visits the keys that are added during the iteration.
  for (const key of changed) for (const dependent of dependents.get(key) ?? []) changed.add(dependent);
  return [...changed];
};

/** Maps each flag key to the JSON of the flag and of the segments that it names. */
const definitions = (ruleset: Ruleset | undefined): Map<string, string> => {
  // `JSON.stringify` is twice as fast as `toJson`. As a ruleset contains no dates, both write the same text, unless
  // arrays inherit a `toJSON`.
  const write = 'toJSON' in [] ? toJson : JSON.stringify;
  const segments = new Map(ruleset?.segments.map(({ key, conditions }) => [key, write(conditions)]));
  return new Map(
    ruleset?.flags.map((flag) => [flag.key, write([flag, segmentsOf(flag).map((key) => segments.get(key))])]),
  );
};

const segmentsOf = (flag: Flag): string[] =>
  (flag.targeting_rules ?? [])
    .flatMap((rule) => rule.conditions)
    .filter(({ attribute }) => attribute === '$segment')
    .flatMap(({ value }) => value as string | string[]);
