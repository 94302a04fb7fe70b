import { ApiError, limitExceeded } from '../../../../http/errors.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { Actor } from '../../../access/actor.ts';
import type { Plan } from '../../../write-gate/change.ts';
import type { ProjectSettings } from '../../projects/project-settings.ts';
import { fault, matchesPattern } from '../../targeting/check-conditions.ts';
import { checkDefaultVariation, checkVariations } from '../checks/check-flag.ts';
import { warnOfRules } from '../checks/rule-warnings.ts';
import type { CreateFlagInput, FlagRecord, UpdateFlagInput } from '../flag-schemas.ts';
import type { FlagDeps } from '../flag-service.ts';
import { configRow, type FlagState, fieldsOf, flagRow, resourceOf, toRecord } from '../flag-state.ts';
import { countFlags, findKeyOwner, findReservation, insertFlag } from '../flag-store.ts';
import { checkReferences, mergeInput, readEnd, requireOwner } from './update-plan.ts';

/** Flags a project may have. */
export const FLAGS_MAX = 10_000;

export interface CreateRequest extends Pick<FlagDeps, 'newId' | 'ports'> {
  readonly actor: Actor;
  readonly environmentId: string;
  readonly input: CreateFlagInput;
  /** What else the flag is to be in the environment, from its first moment. */
  readonly more?: { readonly input: UpdateFlagInput; readonly enabled?: boolean | undefined };
  readonly at: string;
}

/** Plans a flag in every environment of the project; whatever `more` says holds in the given one. */
export async function planCreate(tx: Tx, request: CreateRequest): Promise<Plan<FlagRecord>> {
  const { ports, actor, environmentId, input, more } = request;
  const { organizationId } = actor;
  const { project_id: projectId } = await ports.requireEnvironment(tx, organizationId, environmentId);
  const settings = await ports.projectSettings(tx, organizationId, projectId);
  const fresh = newState(request, projectId, settings);
  if (input.owner_id != null) await requireOwner(tx, ports, organizationId, input.owner_id);
  checkSettings(fresh, settings);
  await requireFreeKey(tx, projectId, input.key, request.at);
  let state = fresh;
  if (more !== undefined) {
    const update = { ...request, ...more, before: fresh };
    state = await mergeInput(tx, update);
    await checkReferences(tx, update, state);
  }
  const environmentIds = await ports.listEnvironmentIds(tx, organizationId, projectId);
  const elsewhere = { ...state, enabled: false, rules: [], prerequisites: [] };
  const states = environmentIds.map((id) =>
    id === environmentId ? state : { ...elsewhere, environmentId: id },
  );
  const warnings = more === undefined ? [] : await warnOfRules(tx, ports, state);
  return { ...planInsert(state, states), warnings };
}

/** Plans a new flag that has been checked, with its state in each environment; answers `shown`. */
export function planInsert(shown: FlagState, states: readonly FlagState[]): Plan<FlagRecord> {
  // A draft is in no ruleset.
  const isServed = shown.status !== 'draft';
  return {
    resource: resourceOf(shown),
    before: null,
    after: fieldsOf(shown),
    reach: {
      ...(isServed
        ? { served: { environmentIds: states.map((state) => state.environmentId), flagKeys: [shown.key] } }
        : { prepared: { environmentIds: preparedIn(states) } }),
      shared: { requires: 'named-environments' },
    },
    async write(tx) {
      await insertFlag(tx, flagRow(shown), states.map(configRow));
      return toRecord(shown);
    },
  };
}

/** Where a draft is more than switched off with the same default as everywhere. */
function preparedIn(states: readonly FlagState[]): readonly string[] {
  const defaults = new Set(states.map((state) => state.defaultVariation));
  return states
    .filter(({ enabled, rules, prerequisites }) => {
      return enabled || rules.length > 0 || prerequisites.length > 0 || defaults.size > 1;
    })
    .map((state) => state.environmentId);
}

/** Throws FLAG_KEY_CONFLICT, also for the key of a flag that is archived or was deleted, and LIMIT_EXCEEDED. */
export async function requireFreeKey(tx: Tx, projectId: string, key: string, at: string): Promise<void> {
  const owner = await findKeyOwner(tx, projectId, key);
  if (owner?.status === 'archived') {
    throw new ApiError('FLAG_KEY_CONFLICT', {
      message: 'An archived flag has this key; it can be restored, or deleted for good.',
      details: { key, reason: 'archived', flag_id: owner.id },
    });
  }
  if (owner !== undefined) throw new ApiError('FLAG_KEY_CONFLICT', { details: { key, flag_id: owner.id } });
  const reservedUntil = await findReservation(tx, projectId, key, at);
  if (reservedUntil !== undefined) {
    throw new ApiError('FLAG_KEY_CONFLICT', {
      message: 'The key belonged to a flag that was deleted, and is still reserved.',
      details: { key, reason: 'reserved', reserved_until: reservedUntil },
    });
  }
  if ((await countFlags(tx, projectId)) >= FLAGS_MAX) {
    throw limitExceeded({ limit: 'flags', maximum: FLAGS_MAX });
  }
}

/** Throws when a new flag breaks a rule of its project. */
export function checkSettings(
  { key, description }: Pick<FlagState, 'key' | 'description'>,
  { flag_key_pattern: pattern, flag_key_hint: hint, require_description }: ProjectSettings,
): void {
  if (pattern !== null && !matchesPattern(pattern, key)) {
    throw fault('FLAG_KEY_PATTERN_MISMATCH', 'key', { key, pattern, hint });
  }
  if (require_description && description.trim() === '') {
    throw fault('DESCRIPTION_REQUIRED', 'description', {});
  }
}

/** Flags are owned by people; what a service account makes is nobody's until somebody takes it. */
export function ownerOf({ kind, id }: Actor): string | null {
  return kind === 'user' ? id : null;
}

/** A flag that nobody has worked on yet, its variations checked. */
export function newState(
  { actor, newId, environmentId, input, at }: Omit<CreateRequest, 'ports'>,
  projectId: string,
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
    expectedEndAt: readEnd(input.expected_end_at) ?? null,
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
