import { ApiError, limitExceeded } from '../../../../http/errors.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Actor } from '../../../access/actor.ts';
import type { Plan } from '../../../write-gate/change.ts';
import { requireOwner } from '../checks/require-owner.ts';
import { type CreateFlagInput, FLAGS_MAX, type FlagRecord } from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';
import { countFlags, findKeyOwner, findReservation } from '../flag-store.ts';
import type { ProjectLookups } from '../project-lookups.ts';
import { planInsert } from './insert-plan.ts';
import { checkSettings, newState } from './new-flag.ts';

export type CreateLookups = Pick<
  ProjectLookups,
  'requireEnvironment' | 'requireProjectSettings' | 'listEnvironmentIds' | 'isMember'
>;

export interface CreateRequest {
  readonly lookups: CreateLookups;
  readonly newId: NewId;
  readonly actor: Actor;
  readonly environmentId: string;
  readonly input: CreateFlagInput;
  /** Configures the flag in `environmentId`; default switched off without rules. */
  readonly configure?: (fresh: FlagState) => Promise<FlagState>;
  readonly at: string;
}

/** Creates a flag in every environment of a project, switched off unless `configure` sets something else. */
export async function planCreate(tx: Tx, request: CreateRequest): Promise<Plan<FlagRecord>> {
  const { lookups, actor, environmentId, input, configure } = request;
  const { organizationId } = actor;
  const { project_id: projectId } = await lookups.requireEnvironment(tx, organizationId, environmentId);
  const settings = await lookups.requireProjectSettings(tx, organizationId, projectId);
  const fresh = newState({ ...request, projectId }, settings);
  if (input.owner_id != null) await requireOwner(tx, lookups, fresh);
  checkSettings(fresh, settings);
  await requireFreeKey(tx, fresh, request.at);
  const state = (await configure?.(fresh)) ?? fresh;
  const environmentIds = await lookups.listEnvironmentIds(tx, organizationId, projectId);
  const elsewhere = { ...state, enabled: false, rules: [], prerequisites: [] };
  return planInsert(
    state,
    environmentIds.map((id) => (id === environmentId ? state : { ...elsewhere, environmentId: id })),
  );
}

/**
 * Throws FLAG_KEY_CONFLICT when a flag has the key or a deleted flag still reserves it, and LIMIT_EXCEEDED when the
 * project is full.
 */
export async function requireFreeKey(
  tx: Tx,
  { projectId, key }: Pick<FlagState, 'projectId' | 'key'>,
  at: string,
): Promise<void> {
  const owner = await findKeyOwner(tx, projectId, key);
  if (owner?.status === 'archived') {
    throw new ApiError('FLAG_KEY_CONFLICT', {
      message: 'An archived flag has this key. Restore it, or delete it permanently.',
      details: { key, reason: 'archived', flag_id: owner.id },
    });
  }
  if (owner !== undefined) throw new ApiError('FLAG_KEY_CONFLICT', { details: { key, flag_id: owner.id } });
  const reservedUntil = await findReservation(tx, { projectId, key, at });
  if (reservedUntil !== undefined) {
    throw new ApiError('FLAG_KEY_CONFLICT', {
      message: 'The key belonged to a deleted flag and is still reserved.',
      details: { key, reason: 'reserved', reserved_until: reservedUntil },
    });
  }
  if ((await countFlags(tx, projectId)) >= FLAGS_MAX) {
    throw limitExceeded({ limit: 'flags', maximum: FLAGS_MAX });
  }
}
