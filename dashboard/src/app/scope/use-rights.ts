import type { Environment } from '../../api/types.ts';
import { t } from '../messages.ts';
import { useScope } from './use-scope.ts';

/** What the person may change here. */
export interface Rights {
  /** False for viewers: nothing can be changed. */
  readonly canEdit: boolean;
  /** Why flags cannot be changed in the environment; undefined when they can. */
  whyNot(environment: Pick<Environment, 'id' | 'name'>): string | undefined;
}

/** The person's rights in the project and in each of its environments. */
export function useRights(): Rights {
  const { organization, project, role } = useScope();
  const { environment_ids: environmentIds, project_roles: projectRoles } = organization;
  const inProject = projectRoles.find(({ project_id }) => project_id === project.id)?.role;
  const canEdit = role !== 'viewer' || (inProject !== undefined && inProject !== 'viewer');
  return {
    canEdit,
    whyNot({ id, name }) {
      if (!canEdit) return t.viewerOnly;
      return environmentIds === null || environmentIds.includes(id) ? undefined : t.keptFrom(name);
    },
  };
}
