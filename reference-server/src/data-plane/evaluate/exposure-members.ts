import type { Flag } from '@flagsvc/sdk-core';

/** What clients without a ruleset need to know to report exposures and track events. */
export interface ExposureNotes {
  /** Keys of the flags with `track_exposures`. */
  readonly exposing: readonly string[];
  /** The rules that assign the units of an attribute. */
  readonly unitRules: readonly { readonly by: string; readonly id: string }[];
}

export function exposureNotesOf(flags: readonly Flag[]): ExposureNotes {
  return {
    exposing: flags.filter((flag) => flag.track_exposures).map(({ key }) => key),
    unitRules: flags.flatMap(({ targeting_rules }) =>
      targeting_rules.flatMap(({ id, percentage_rollout, bucketing }) =>
        percentage_rollout != null &&
        bucketing != null &&
        typeof bucketing === 'object' &&
        bucketing.by !== 'user_key'
          ? [{ by: bucketing.by, id }]
          : [],
      ),
    ),
  };
}

/** The members of the answer of `POST /evaluate` before `evaluations`; empty if there is nothing to report. */
export function exposureMembers(notes: readonly ExposureNotes[]): string {
  const exposing = notes.flatMap((note) => note.exposing);
  const rules = new Map<string, string[]>();
  for (const { by, id } of notes.flatMap(({ unitRules }) => unitRules))
    rules.set(by, [...(rules.get(by) ?? []), id]);
  // Written member by member: an attribute may be named `__proto__`.
  const units = Array.from(rules, ([by, ids]) => `${JSON.stringify(by)}:${JSON.stringify(ids)}`);
  return [
    exposing.length > 0 ? `"track_exposures":${JSON.stringify(exposing)},` : '',
    units.length > 0 ? `"unit_rules":{${units.join(',')}},` : '',
  ].join('');
}
