import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Actor } from '../../access/actor.ts';
import type { Plan } from '../../write-gate/change.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { type EnvironmentRecord, fieldsOf, resourceOf, toRecord } from './environment-state.ts';
import {
  type EnvironmentRow,
  findEnvironment,
  listEnvironments,
  updateEnvironment,
  updatePositions,
} from './environment-store.ts';
import { requireEnvironment } from './require-environment.ts';

/** Plans an environment as `wanted`; nothing is written when it is so already. */
export function planChange(
  tx: Tx,
  {
    before,
    wanted,
    at,
  }: { readonly before: EnvironmentRow; readonly wanted: EnvironmentRow; readonly at: string },
): Plan<EnvironmentRecord> {
  const isNoOp = JSON.stringify(wanted) === JSON.stringify(before);
  const after = isNoOp ? before : { ...wanted, revision: before.revision + 1, updated_at: at };
  return {
    resource: resourceOf(before),
    before: fieldsOf(before),
    after: fieldsOf(after),
    revision: before.revision,
    isNoOp,
    async write() {
      await updateEnvironment(tx, after);
      return toRecord(after);
    },
  };
}

/** Plans that the environment is hidden and that its API keys stop working. */
export async function planArchive(
  tx: Tx,
  { actor, id, at }: { readonly actor: Actor; readonly id: string; readonly at: string },
): Promise<Plan<EnvironmentRecord>> {
  const before = await requireEnvironment(tx, actor.organizationId, id);
  await requireOtherInUse(tx, before);
  const plan = planChange(tx, { before, wanted: { ...before, archived_at: at }, at });
  return { ...plan, reach: { apiKeyIds: 'all' } };
}

/** Plans that an archived environment and its API keys work again. */
export async function planRestore(
  tx: Tx,
  { actor, id, at }: { readonly actor: Actor; readonly id: string; readonly at: string },
): Promise<Plan<EnvironmentRecord>> {
  const before = await findEnvironment(tx, actor.organizationId, id);
  if (before === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
  const plan = planChange(tx, { before, wanted: { ...before, archived_at: null }, at });
  return { ...plan, reach: { apiKeyIds: 'all' } };
}

/** Plans the order of a project's environments. Positions are in no ruleset, so no revision changes. */
export async function planOrder(
  tx: Tx,
  { requireProject }: { readonly requireProject: RequireProject },
  of: { readonly actor: Actor; readonly projectId: string; readonly ids: readonly string[] },
): Promise<Plan<readonly EnvironmentRecord[]>> {
  const { organizationId } = of.actor;
  const project = await requireProject(tx, organizationId, of.projectId);
  const before = await listEnvironments(tx, organizationId, of.projectId);
  const chosen = [...new Set(of.ids)].map((id) => {
    const row = before.find((one) => one.id === id);
    if (row === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND', { details: { environment_id: id } });
    return row;
  });
  const after = [...chosen, ...before.filter((row) => !chosen.includes(row))];
  return {
    resource: { type: 'project', id: of.projectId, key: project.key, projectId: of.projectId },
    before: { environments: before.map(({ key }) => key) },
    after: { environments: after.map(({ key }) => key) },
    isNoOp: after.every((row, position) => row === before[position]),
    async write() {
      await updatePositions(
        tx,
        after.map(({ id }) => id),
      );
      return after
        .map((row, position) => toRecord({ ...row, position }))
        .filter(({ archived_at }) => archived_at === null);
    },
  };
}

/** Throws RESOURCE_IN_USE for the last environment of a project that is not archived. */
export async function requireOtherInUse(tx: Tx, row: EnvironmentRow): Promise<void> {
  const siblings = await listEnvironments(tx, row.organization_id, row.project_id);
  if (siblings.some(({ id, archived_at }) => id !== row.id && archived_at === null)) return;
  throw new ApiError('RESOURCE_IN_USE', {
    message: 'The last environment of a project cannot be archived or deleted.',
    details: { resource: 'project' },
  });
}
