/**
 * The door to OpenFeature's words: our reasons and what is known of a flag, the same in the providers of sdk-node and
 * sdk-browser and in a server's OFREP (decisions/0020). Nothing of OpenFeature is loaded here.
 */
import type { EvaluationResult, Flag, FlagType, Reason, Ruleset } from './protocol/protocol.ts';

/** The reasons of OpenFeature that an evaluation can have. */
export type OpenFeatureReason = 'STATIC' | 'DEFAULT' | 'TARGETING_MATCH' | 'SPLIT' | 'DISABLED';

const REASONS: Readonly<Record<Exclude<Reason, 'FLAG_NOT_FOUND'>, OpenFeatureReason>> = {
  TARGETING_RULE: 'TARGETING_MATCH',
  PERCENTAGE_ROLLOUT: 'SPLIT',
  DISABLED: 'DISABLED',
  // The default variation is served, as when no rule matches; `flagsvc_reason` says why.
  PREREQUISITE: 'DEFAULT',
  DEFAULT: 'DEFAULT',
};

/** What a flag that exists was served for. A default is static where nobody could get anything else. */
export const openFeatureReason = (
  reason: Exclude<Reason, 'FLAG_NOT_FOUND'>,
  flag: Flag | undefined,
): OpenFeatureReason =>
  reason === 'DEFAULT' && flag && !flag.targeting_rules?.length && !flag.prerequisites?.length
    ? 'STATIC'
    : REASONS[reason];

/** What an answer says about its flag besides its value. `version` and `flagSetId` are OpenFeature's own names. */
export interface OpenFeatureMetadata {
  /** The reason in our words, as `POST /evaluate` has it. */
  readonly flagsvc_reason: Reason;
  /** Id of the rule that decided, if one did. */
  readonly rule_id?: string;
  /** Version of the ruleset; absent, with all below, where the server evaluates. */
  readonly version?: number;
  readonly environment_id?: string;
  /** The environment again, under the name by which OpenFeature's telemetry knows it. */
  readonly flagSetId?: string;
  readonly flag_type?: FlagType;
}

/** What is known of an answer; of its flag and ruleset where they are there to ask. */
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

/** The flags of a ruleset by key, indexed once. */
export const flagsOf = (ruleset: Ruleset): ReadonlyMap<string, Flag> => {
  let index = indexes.get(ruleset);
  if (!index) {
    index = new Map(ruleset.flags.map((flag) => [flag.key, flag]));
    indexes.set(ruleset, index);
  }
  return index;
};
