import type { Tx } from '../../../storage/database.ts';
import type { Fields } from '../../write-gate/diff.ts';
import type { GuardedChange } from '../../write-gate/guard.ts';
import { servedEnvironments } from '../../write-gate/reach.ts';
import { listScopedEnvironments, type ScopedEnvironment } from './freeze-store.ts';

/** The environments that a change alters. */
export interface Reach {
  /** For whoever asks there. */
  readonly served: readonly ScopedEnvironment[];
  /** Where a window would hold the flag otherwise than before, though all are served the same. */
  readonly governed: readonly ScopedEnvironment[];
  /** True when every window would, since each lets kill switches be pulled; else those that look at tags. */
  readonly isReclassified: boolean;
}

export function everywhere({ served, governed }: Reach): readonly ScopedEnvironment[] {
  const ids = new Set(served.map(({ id }) => id));
  return [...served, ...governed.filter(({ id }) => !ids.has(id))];
}

/** Every environment that a change says anything of, whether or not somebody is served that now. */
export async function touchedEnvironments(
  tx: Tx,
  change: GuardedChange,
): Promise<readonly ScopedEnvironment[]> {
  const { plan, actor } = change;
  const ids = [plan.resource.environmentId ?? [], ...(plan.reach?.prepared?.environmentIds ?? [])].flat();
  const named = ids.length === 0 ? [] : await listScopedEnvironments(tx, actor.organizationId, { ids });
  return [...named, ...everywhere(await reachOf(tx, change))];
}

/** Drafts reach nothing: nobody is served them. */
export async function reachOf(tx: Tx, { actor, action, plan, changes }: GuardedChange): Promise<Reach> {
  const { resource, before, after } = plan;
  const { organizationId } = actor;
  const isDraft = (fields: typeof before): boolean => fields === null || fields['status'] === 'draft';
  const none = { served: [], governed: [], isReclassified: false };
  if (resource.type === 'flag' && isDraft(before) && isDraft(after)) return none;
  if (action === 'project.archived' || action === 'project.restored') {
    const projectId = resource.projectId ?? resource.id;
    return { ...none, served: await listScopedEnvironments(tx, organizationId, { projectId }) };
  }
  const ids = new Set(servedEnvironments(plan));
  // An environment that goes, or that another type would take out of a window's scope.
  const isOut = action === 'environment.deleted' || (action === 'environment.updated' && 'type' in changes);
  if (isOut && resource.environmentId != null) ids.add(resource.environmentId);
  const isFlag = resource.type === 'flag' && before !== null;
  const isReclassified = isFlag && isKillSwitch(before) !== isKillSwitch(after);
  const { projectId } = resource;
  return {
    served: ids.size === 0 ? [] : await listScopedEnvironments(tx, organizationId, { ids: [...ids] }),
    governed:
      isFlag && (isReclassified || 'tags' in changes) && projectId != null
        ? await listScopedEnvironments(tx, organizationId, { projectId })
        : [],
    isReclassified,
  };
}

/** What can be switched off in every freeze. */
export function isKillSwitch(fields: Fields | null): boolean {
  return fields?.['classification'] === 'ops_killswitch';
}
