import { ApiError } from '../../../../http/errors.ts';
import type { Warning } from '../../../../http/warnings.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { Actor } from '../../../access/actor.ts';
import type { Plan } from '../../../write-gate/change.ts';
import { mapPlan } from '../../../write-gate/map-plan.ts';
import { warnOfRules } from '../checks/rule-warnings.ts';
import type { FlagRecord, UpsertFlagInput } from '../flag-schemas.ts';
import { type FlagKeyAddress, findByKeyAddress, requireUnarchived } from '../require-flag.ts';
import { type CreateLookups, planCreate } from './create-plan.ts';
import { keepRuleIds } from './keep-rule-ids.ts';
import { checkReferences, mergeInput, planUpdate, type UpdateLookups } from './update-plan.ts';

export interface UpsertRequest {
  readonly lookups: CreateLookups & UpdateLookups;
  readonly newId: NewId;
  readonly actor: Actor;
  readonly address: FlagKeyAddress;
  readonly input: UpsertFlagInput;
  readonly at: string;
}

interface UpsertResult {
  readonly record: FlagRecord;
  readonly created: boolean;
}

/** Creates the flag with this configuration, or updates the existing one. Throws FLAG_ARCHIVED or FLAG_TYPE_IMMUTABLE. */
export async function planUpsert(tx: Tx, request: UpsertRequest): Promise<Plan<UpsertResult>> {
  const { lookups, newId, actor, address, input, at } = request;
  const { organizationId } = actor;
  if (address.projectId !== undefined) {
    await lookups.requireProjectSettings(tx, organizationId, address.projectId);
  }
  const before = await findByKeyAddress(tx, lookups, { organizationId, ...address });
  if (before === undefined) return planConfigured(tx, request);
  requireUnarchived(before);
  if (before.flagType !== input.flag_type) {
    throw new ApiError('FLAG_TYPE_IMMUTABLE', {
      details: { field: 'flag_type', flag_type: before.flagType },
    });
  }
  const { enabled, ...update } = input;
  const { targeting_rules: rules } = update;
  const matched = rules && { targeting_rules: keepRuleIds(rules, before.rules) };
  const wanted = { ...update, ...matched };
  const plan = await planUpdate(tx, { lookups, newId, before, input: wanted, enabled, at });
  return mapPlan(plan, (record) => ({ record, created: false }));
}

/** Creates the flag, configured in one environment from the start. */
async function planConfigured(
  tx: Tx,
  { lookups, newId, actor, address, input, at }: UpsertRequest,
): Promise<Plan<UpsertResult>> {
  const { key, environmentId } = address;
  const { enabled, ...update } = input;
  let warnings: readonly Warning[] = [];
  const plan = await planCreate(tx, {
    lookups,
    newId,
    actor,
    environmentId,
    input: { ...input, key },
    at,
    async configure(before) {
      const request = { lookups, newId, before, input: update, enabled };
      const wanted = await mergeInput(tx, request);
      await checkReferences(tx, request, wanted);
      warnings = await warnOfRules(tx, lookups, wanted);
      return wanted;
    },
  });
  return mapPlan(
    { ...plan, warnings, revision: null },
    (record) => ({ record, created: true }),
    'flag.created',
  );
}
