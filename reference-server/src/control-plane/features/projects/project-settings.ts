import { type Static, Type } from 'typebox';
import { knownFields } from '../../../http/known-fields.ts';
import { CLASSIFICATIONS } from '../flags/flag-schemas.ts';
import { requirePattern } from '../targeting/check-conditions.ts';
import { createPatternAllowance } from '../targeting/pattern-allowance.ts';

const days = (description: string) => Type.Integer({ minimum: 1, maximum: 3_650, description });

/** When a flag of the project becomes stale, and when a stale one is archived. */
export const StalePolicy = Type.Object({
  rolled_out_days: days(
    'Days for which a flag can serve only one variation before it is `fully_rolled_out`. Default 14.',
  ),
  single_variation_days: days(
    'Days for which production reports only one variation before a flag is `single_variation_served`. Default 14.',
  ),
  not_evaluated_days: days('Days without an evaluation before a flag is `not_evaluated`. Default 30.'),
  lifetime_days: Type.Object(
    { release: days('Default 40.'), experiment: days('Default 40.'), migration: days('Default 90.') },
    { description: 'Age in days at which a flag of this classification is `past_expected_end`.' },
  ),
  auto_archive_after_days: Type.Union(
    [
      days('Days for which a flag is stale, not evaluated and not named by code before it is archived.'),
      Type.Null(),
    ],
    {
      description: 'Default null: never. A notice is sent 14 days before the flag is archived.',
    },
  ),
});
export type StalePolicy = Static<typeof StalePolicy>;

/** The rules and defaults that a project sets for its flags. */
export const ProjectSettings = Type.Object({
  flag_key_pattern: Type.Union([Type.String({ maxLength: 512 }), Type.Null()], {
    description: 'Pattern that new flag keys must match, in the dialect of `matches_regex`; default null.',
  }),
  flag_key_hint: Type.String({
    maxLength: 200,
    description: 'Returned with the error when a key does not match.',
  }),
  require_description: Type.Boolean({ description: 'Whether new flags need a description; default false.' }),
  default_classification: Type.Union([Type.Enum([...CLASSIFICATIONS]), Type.Null()], {
    description: 'Classification of new flags that are created without one; default null.',
  }),
  client_exposure_default: Type.Boolean({
    description: 'Default of `client_side` for new flags; default false.',
  }),
  stale_policy: StalePolicy,
});
export type ProjectSettings = Static<typeof ProjectSettings>;

/** Settings to change; absent ones keep their value. */
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

/** The stored settings, with defaults for those never set. */
export function readSettings(json: string): ProjectSettings {
  return mergeSettings(DEFAULTS, readSettingsPatch(json));
}

/** The stored settings without defaults. */
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

/** Every new flag key is matched against the pattern, so the pattern must stay small. */
const KEY_PATTERN_STATES_MAX = 1_000;

/** Throws REGEX_INVALID when the key pattern is outside the dialect or has more than 1,000 states. */
export function checkSettingsPatch({ flag_key_pattern: pattern }: ProjectSettingsPatch): void {
  if (pattern == null) return;
  const field = 'settings.flag_key_pattern';
  requirePattern(pattern, field);
  createPatternAllowance([], KEY_PATTERN_STATES_MAX).take(pattern, field);
}
