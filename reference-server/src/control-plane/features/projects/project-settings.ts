import { type Static, Type } from 'typebox';
import { knownFields } from '../../../http/known-fields.ts';
import { CLASSIFICATIONS } from '../flags/flag-schemas.ts';
import { requirePattern } from '../targeting/check-conditions.ts';
import { createPatternAllowance } from '../targeting/pattern-allowance.ts';

const days = (description: string) => Type.Integer({ minimum: 1, maximum: 3_650, description });

/** When a flag of the project counts as stale, and what happens then. */
export const StalePolicy = Type.Object({
  rolled_out_days: days(
    'Days that a flag served one variation only before it is `fully_rolled_out`. Default 14.',
  ),
  single_variation_days: days('Days of one variation by the counts: `single_variation_served`. Default 14.'),
  not_evaluated_days: days('Days without an evaluation: `not_evaluated`. Default 30.'),
  lifetime_days: Type.Object(
    { release: days('Default 40.'), experiment: days('Default 40.'), migration: days('Default 90.') },
    { description: 'Age at which a flag of the class is `past_expected_end`.' },
  ),
  auto_archive_after_days: Type.Union(
    [days('Days of being stale without an evaluation and without a code reference.'), Type.Null()],
    {
      description: 'Default null: never. It is warned of 14 days before.',
    },
  ),
});
export type StalePolicy = Static<typeof StalePolicy>;

/** What a project asks of its flags. */
export const ProjectSettings = Type.Object({
  flag_key_pattern: Type.Union([Type.String({ maxLength: 512 }), Type.Null()], {
    description: 'New flag keys must match it, in the dialect of `matches_regex`; default null.',
  }),
  flag_key_hint: Type.String({ maxLength: 200, description: 'Told to who chooses another key.' }),
  require_description: Type.Boolean({ description: 'Default false.' }),
  default_classification: Type.Union([Type.Enum([...CLASSIFICATIONS]), Type.Null()]),
  client_exposure_default: Type.Boolean({
    description: 'Whether new flags are seen by `client` keys unless they say otherwise; default false.',
  }),
  stale_policy: StalePolicy,
});
export type ProjectSettings = Static<typeof ProjectSettings>;

/** What of the settings is to change; the rest keeps its value. */
export const ProjectSettingsPatch = Type.Object({
  ...Type.Partial(Type.Omit(ProjectSettings, ['stale_policy'])).properties,
  stale_policy: Type.Optional(
    Type.Object({
      ...Type.Partial(Type.Omit(StalePolicy, ['lifetime_days'])).properties,
      lifetime_days: Type.Optional(Type.Partial(StalePolicy.properties.lifetime_days)),
    }),
  ),
});
export type ProjectSettingsPatch = Static<typeof ProjectSettingsPatch>;

const DEFAULTS: ProjectSettings = {
  flag_key_pattern: null,
  flag_key_hint: '',
  require_description: false,
  default_classification: null,
  client_exposure_default: false,
  stale_policy: {
    rolled_out_days: 14,
    single_variation_days: 14,
    not_evaluated_days: 30,
    lifetime_days: { release: 40, experiment: 40, migration: 90 },
    auto_archive_after_days: null,
  },
};

/** The settings as stored, with the defaults of what was never set. */
export function readSettings(json: string): ProjectSettings {
  return mergeSettings(DEFAULTS, readSettingsPatch(json));
}

/** What was ever set. */
export function readSettingsPatch(json: string): ProjectSettingsPatch {
  return knownFields(ProjectSettingsPatch, JSON.parse(json) as ProjectSettingsPatch);
}

export function mergeSettings(settings: ProjectSettings, patch: ProjectSettingsPatch): ProjectSettings {
  const { stale_policy: policy = {}, ...rest } = patch;
  return {
    ...settings,
    ...rest,
    stale_policy: {
      ...settings.stale_policy,
      ...policy,
      lifetime_days: { ...settings.stale_policy.lifetime_days, ...policy.lifetime_days },
    },
  };
}

/** States of the pattern that each new flag's key is held against. */
const KEY_PATTERN_STATES_MAX = 1_000;

/** Throws REGEX_INVALID when the pattern is outside the dialect, or large. */
export function checkSettingsPatch({ flag_key_pattern: pattern }: ProjectSettingsPatch): void {
  if (pattern == null) return;
  const field = 'settings.flag_key_pattern';
  requirePattern(pattern, field);
  createPatternAllowance([], KEY_PATTERN_STATES_MAX).take(pattern, field);
}
