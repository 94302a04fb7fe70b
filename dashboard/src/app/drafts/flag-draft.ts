import type { UnitBucketing } from '@flagsvc/sdk-core';
import type { Flag } from '../../api/types.ts';
import type { Condition } from '../conditions/condition.ts';
import { type Draft, useDraft } from './use-draft.ts';

type Share = NonNullable<Flag['targeting_rules'][number]['percentage_rollout']>[number];

/** A rule while it is edited. Exactly one of `variation` and `shares` is set; the shares sum to 100. */
export interface EditedRule {
  /** The API's id, or `new-…` until it is saved. */
  readonly id: string;
  readonly name: string;
  readonly conditions: readonly Condition[];
  readonly variation: string | undefined;
  readonly shares: readonly Share[] | undefined;
  /** True when the saved shares were below 100 and the default served the rest. */
  readonly isFilled?: boolean;
  /** Revision 3 of bucketing, which decides instead of the shares. Only the API changes it. */
  readonly units?: UnitBucketing;
}

/** What is edited of a flag in one environment: its rules, what everyone else gets, and what it needs first. */
export interface EditedConfig {
  readonly rules: readonly EditedRule[];
  readonly fallback: string;
  readonly needs: Flag['prerequisites'];
}

/** An unsaved edit and the saved state that it began with. */
export interface FlagEdit {
  readonly base: EditedConfig;
  readonly revision: number;
  readonly mine: EditedConfig;
}

/** The unsaved edit of a flag in one environment, the same on every page. */
export function useFlagDraft(flagId: string, environmentId: string): Draft<FlagEdit> {
  return useDraft<FlagEdit>(`flag:${flagId}:${environmentId}`);
}
