import { fieldFault } from '../../../../http/errors.ts';
import { normalizeTimestamp } from '../../../../http/timestamps.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Actor } from '../../../access/actor.ts';
import type { ProjectSettings } from '../../projects/project-settings.ts';
import { matchesPattern } from '../../targeting/match-pattern.ts';
import { checkDefaultVariation, checkVariations } from '../checks/check-variations.ts';
import type { CreateFlagInput } from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';

export interface NewFlag {
  readonly newId: NewId;
  readonly actor: Actor;
  readonly projectId: string;
  readonly environmentId: string;
  readonly input: CreateFlagInput;
  readonly at: string;
}

/** Throws FLAG_KEY_PATTERN_MISMATCH or DESCRIPTION_REQUIRED when a new flag breaks a rule of its project. */
export function checkSettings(
  { key, description }: Pick<FlagState, 'key' | 'description'>,
  { flag_key_pattern: pattern, flag_key_hint: hint, require_description }: ProjectSettings,
): void {
  if (pattern !== null && !matchesPattern(pattern, key)) {
    throw fieldFault('FLAG_KEY_PATTERN_MISMATCH', 'key', { key, pattern, hint });
  }
  if (require_description && description.trim() === '') {
    throw fieldFault('DESCRIPTION_REQUIRED', 'description');
  }
}

/**
 * The default owner of a new flag: the user who creates it. A flag that a service account creates has no owner, because
 * only people own flags.
 */
export function ownerOf({ kind, id }: Actor): string | null {
  return kind === 'user' ? id : null;
}

/** The state of a new flag, switched off, with its variations checked. */
export function newState(
  { actor, newId, projectId, environmentId, input, at }: NewFlag,
  settings: ProjectSettings,
): FlagState {
  const variations = checkVariations(input.flag_type, input.variations);
  checkDefaultVariation(input.default_variation, new Set(variations.map((variation) => variation.key)));
  return {
    id: newId('flg'),
    organizationId: actor.organizationId,
    projectId,
    environmentId,
    key: input.key,
    name: input.name,
    description: input.description ?? '',
    flagType: input.flag_type,
    status: input.draft === true ? 'draft' : 'active',
    variations,
    tags: [...new Set(input.tags ?? [])],
    classification:
      input.classification === undefined ? settings.default_classification : input.classification,
    clientSide: input.client_side ?? settings.client_exposure_default,
    trackExposures: input.track_exposures ?? false,
    permanent: input.permanent ?? false,
    ownerId: input.owner_id === undefined ? ownerOf(actor) : input.owner_id,
    expectedEndAt: readExpectedEnd(input.expected_end_at ?? null),
    archivedAt: null,
    createdAt: at,
    staleSince: null,
    staleReasons: [],
    staleAfterDays: input.stale_after_days ?? null,
    staleSnoozedUntil: null,
    flagRevision: 1,
    flagUpdatedAt: at,
    enabled: false,
    defaultVariation: input.default_variation,
    rules: [],
    prerequisites: [],
    lastEvaluatedAt: null,
    configRevision: 0,
    configUpdatedAt: at,
  };
}

/** The stored form of `expected_end_at`. Throws VALIDATION_ERROR. */
export function readExpectedEnd(text: string | null): string | null {
  return text === null ? null : normalizeTimestamp(text, 'expected_end_at');
}
