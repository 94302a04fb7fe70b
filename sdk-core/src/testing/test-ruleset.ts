import type { Flag, FlagType, Json, Ruleset } from '../protocol/protocol.ts';

const typeOf = (value: Json): FlagType => (typeof value === 'object' ? 'json' : typeof value) as FlagType;

/** A flag that serves one value to every user. A boolean flag has two variations, `on` and `off`. */
export const createTestFlag = (key: string, value: Json, more: Partial<Flag> = {}): Flag => ({
  key,
  flag_type: typeOf(value),
  enabled: true,
  variations:
    typeof value === 'boolean'
      ? [
          { key: 'on', value: true },
          { key: 'off', value: false },
        ]
      : [{ key: 'only', value }],
  default_variation: value === true ? 'on' : value === false ? 'off' : 'only',
  targeting_rules: [],
  ...more,
});

/** A ruleset of the given flags, or of flags that serve the given values by key. */
export const createTestRuleset = (
  flags: readonly Flag[] | { readonly [flagKey: string]: Json },
  version = 1,
): Ruleset => ({
  version,
  environment_id: 'env_test',
  flags: Array.isArray(flags)
    ? flags
    : Object.entries(flags).map(([key, value]) => createTestFlag(key, value)),
  segments: [],
  fetched_at: '2026-01-01T00:00:00.000Z',
});
