import type { Tx } from '../../../storage/database.ts';
import type { Fields } from '../../write-gate/diff.ts';
import type { GuardedChange } from '../../write-gate/guard.ts';
import { servedEnvironments } from '../../write-gate/reach.ts';
import { listScopedEnvironments, type ScopedEnvironment } from './freeze-store.ts';

/** The environments in which a change matters to freeze windows. */
export interface AffectedEnvironments {
  /** Environments in which the change alters what is served. */
  readonly served: readonly ScopedEnvironment[];
  /** Environments in which the change alters which windows apply to the flag. */
  readonly governed: readonly ScopedEnvironment[];
  /**
   * True when the flag becomes or stops being a kill switch. In this case `governed` matters to every window, otherwise
   * only to windows with tags.
   */
  readonly isReclassified: boolean;
}

/** The served and the governed environments, each once. */
export function allAffected({ served, governed }: AffectedEnvironments): readonly ScopedEnvironment[] {
  const ids = new Set(served.map(({ id }) => id));
  return [...served, ...governed.filter(({ id }) => !ids.has(id))];
}

/** Every environment in which a change configures something, including drafts. Can contain duplicates. */
export async function configuredEnvironments(
  tx: Tx,
  change: GuardedChange,
): Promise<readonly ScopedEnvironment[]> {
  const { plan, actor } = change;
  const ids = [plan.resource.environmentId ?? [], ...(plan.reach?.prepared?.environmentIds ?? [])].flat();
  const named = ids.length === 0 ? [] : await listScopedEnvironments(tx, actor.organizationId, { ids });
  return [...named, ...allAffected(await affectedEnvironments(tx, change))];
}

/** Changes after which the API keys of an environment stop or start working. */
const SWITCHING: ReadonlySet<string> = new Set([
  'environment.archived',
  'environment.restored',
  'environment.deleted',
]);

/** Changes of drafts affect no environment, because drafts are not served. */
export async function affectedEnvironments(
  tx: Tx,
  { actor, action, plan, changes }: GuardedChange,
): Promise<AffectedEnvironments> {
  const { resource, before, after } = plan;
  const { organizationId } = actor;
  const none = { served: [], governed: [], isReclassified: false };
  if (resource.type === 'flag' && isDraft(before) && isDraft(after)) return none;
  if (action === 'project.archived' || action === 'project.restored') {
    const projectId = resource.projectId ?? resource.id;
    return { ...none, served: await listScopedEnvironments(tx, organizationId, { projectId }) };
  }
  const ids = new Set(servedEnvironments(plan));
  // Changing the type of an environment could evade a window.
  const isEvasion = SWITCHING.has(action) || (action === 'environment.updated' && 'type' in changes);
  if (isEvasion && resource.environmentId != null) ids.add(resource.environmentId);
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

function isDraft(fields: Fields | null): boolean {
  return fields === null || fields['status'] === 'draft';
}

/** True for a flag that may be switched off even during a freeze. */
export function isKillSwitch(fields: Fields | null): boolean {
  return fields?.['classification'] === 'ops_killswitch';
}
