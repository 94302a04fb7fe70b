import { ApiError } from '../../../../http/errors.ts';
import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { Actor } from '../../../access/actor.ts';
import type { Plan } from '../../../write-gate/change.ts';
import { mapPlan } from '../../../write-gate/map-plan.ts';
import type { FlagRecord, UpsertFlagInput } from '../flag-schemas.ts';
import type { FlagDeps, FlagKeyAddress, FlagPorts } from '../flag-service.ts';
import type { FlagState } from '../flag-state.ts';
import { findFlagByKey } from '../flag-store.ts';
import { requireUnarchived } from '../require-flag.ts';
import { planCreate } from './create-plan.ts';
import { withKnownIds } from './match-rules.ts';
import { planUpdate } from './update-plan.ts';

/** Undefined when the project of the environment has no such flag. Throws ENVIRONMENT_NOT_FOUND. */
export async function findByKey(
  db: Queryable,
  ports: FlagPorts,
  organizationId: string,
  { key, environmentId, projectId }: FlagKeyAddress,
): Promise<FlagState | undefined> {
  const environment = await ports.requireEnvironment(db, organizationId, environmentId);
  if (projectId !== undefined && environment.project_id !== projectId) {
    throw new ApiError('ENVIRONMENT_NOT_FOUND');
  }
  return findFlagByKey(db, organizationId, key, environmentId);
}

interface UpsertRequest extends FlagDeps {
  readonly actor: Actor;
  readonly address: FlagKeyAddress;
  readonly input: UpsertFlagInput;
  readonly at: string;
}

export async function planUpsert(
  tx: Tx,
  { actor, address, input, ...rest }: UpsertRequest,
): Promise<Plan<{ record: FlagRecord; created: boolean }>> {
  const { organizationId } = actor;
  if (address.projectId !== undefined) {
    await rest.ports.projectSettings(tx, organizationId, address.projectId);
  }
  const before = await findByKey(tx, rest.ports, organizationId, address);
  const { enabled, ...update } = input;
  const { key, environmentId } = address;
  const more = { input: update, enabled };
  if (before === undefined) {
    const plan = await planCreate(tx, { ...rest, actor, environmentId, input: { ...input, key }, more });
    return mapPlan({ ...plan, revision: null }, (record) => ({ record, created: true }), 'flag.created');
  }
  requireUnarchived(before);
  if (before.flagType !== input.flag_type) {
    throw new ApiError('FLAG_TYPE_IMMUTABLE', {
      details: { field: 'flag_type', flag_type: before.flagType },
    });
  }
  const { targeting_rules: rules } = update;
  const known = rules && { targeting_rules: withKnownIds(rules, before.rules) };
  const plan = await planUpdate(tx, { ...rest, before, input: { ...update, ...known }, enabled });
  return mapPlan(plan, (record) => ({ record, created: false }));
}
