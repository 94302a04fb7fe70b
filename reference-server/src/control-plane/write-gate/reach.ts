import type { Tx } from '../../storage/database.ts';
import type { Actor } from '../access/actor.ts';
import { requireEnvironments } from '../access/permissions.ts';
import type { Plan, Reach } from './change.ts';

const NOTHING: Reach = {};

/** The plan's reach; empty if the change does nothing. */
export function reachOf({ isNoOp, reach = NOTHING }: Plan<unknown>): Reach {
  return isNoOp === true ? NOTHING : reach;
}

/** The environments whose compiled ruleset the change alters. */
export function servedEnvironments(plan: Plan<unknown>): readonly string[] {
  return reachOf(plan).served?.environmentIds ?? [];
}

/** Throws INSUFFICIENT_PERMISSIONS when the actor has no access to an environment that the change requires. */
export async function requireReach(tx: Tx, actor: Actor, plan: Plan<unknown>): Promise<void> {
  if (actor.environmentIds === null) return;
  const { resource } = plan;
  const { served, prepared, shared } = reachOf(plan);
  const ofProject =
    shared?.requires === 'all-environments' ? await environmentsOf(tx, resource.projectId ?? null) : [];
  requireEnvironments(actor, [
    resource.environmentId,
    ...(served?.environmentIds ?? []),
    ...(prepared?.environmentIds ?? []),
    ...ofProject,
  ]);
}

async function environmentsOf(tx: Tx, projectId: string | null): Promise<readonly string[]> {
  const rows = await tx.selectFrom('environments').select('id').where('project_id', '=', projectId).execute();
  return rows.map(({ id }) => id);
}
