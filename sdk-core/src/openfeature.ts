/**
 * The entry point for OpenFeature's reasons and flag metadata, which the providers of sdk-node and sdk-browser and the
 * server's OFREP endpoint share. It does not load OpenFeature's SDK.
 */
import type { EvaluationResult, Flag, FlagType, Reason, Ruleset } from './protocol/protocol.ts';

/** The OpenFeature reasons that an evaluation can have. */
export type OpenFeatureReason = 'STATIC' | 'DEFAULT' | 'TARGETING_MATCH' | 'SPLIT' | 'DISABLED';

const REASONS: Readonly<Record<Exclude<Reason, 'FLAG_NOT_FOUND'>, OpenFeatureReason>> = {
  TARGETING_RULE: 'TARGETING_MATCH',
  PERCENTAGE_ROLLOUT: 'SPLIT',
  DISABLED: 'DISABLED',
  // The default variation is served, as when no rule matches; `flagsvc_reason` says why.
  PREREQUISITE: 'DEFAULT',
  DEFAULT: 'DEFAULT',
};

/** OpenFeature's reason for a flag that exists. `STATIC` means that the flag serves its default to every user. */
export const openFeatureReason = (
  reason: Exclude<Reason, 'FLAG_NOT_FOUND'>,
  flag: Flag | undefined,
): OpenFeatureReason =>
  reason === 'DEFAULT' && flag && !flag.targeting_rules?.length && !flag.prerequisites?.length
    ? 'STATIC'
    : REASONS[reason];

/** What a result says about its flag besides the value. `version` and `flagSetId` are OpenFeature's own names. */
export interface OpenFeatureMetadata {
  /** The reason, as in the answer to `POST /evaluate`. */
  readonly flagsvc_reason: Reason;
  /** Id of the rule that matched, if one did. */
  readonly rule_id?: string;
  /** Version of the ruleset. This and the fields below are absent if the server evaluates the flags. */
  readonly version?: number;
  readonly environment_id?: string;
  /** The same as `environment_id`, under the name that OpenFeature's telemetry uses. */
  readonly flagSetId?: string;
  readonly flag_type?: FlagType;
}

/** The metadata of a result. Fields that depend on the ruleset and the flag are included if both are given. */
export const openFeatureMetadata = (
  { reason, rule_id }: Pick<EvaluationResult, 'reason' | 'rule_id'>,
  ruleset: Ruleset | undefined,
  flag: Flag | undefined,
): OpenFeatureMetadata => ({
  flagsvc_reason: reason,
  ...(rule_id !== null && { rule_id }),
  ...(ruleset &&
    flag && {
      version: ruleset.version,
      environment_id: ruleset.environment_id,
      flagSetId: ruleset.environment_id,
      flag_type: flag.flag_type,
    }),
});

const indexes = new WeakMap<Ruleset, ReadonlyMap<string, Flag>>();

/** The flags of a ruleset by key. The map is built once per ruleset. */
export const flagsOf = (ruleset: Ruleset): ReadonlyMap<string, Flag> => {
  let index = indexes.get(ruleset);
  if (!index) {
    index = new Map(ruleset.flags.map((flag) => [flag.key, flag]));
    indexes.set(ruleset, index);
  }
  return index;
};
