import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Environment } from '../../api/types.ts';
import { t } from '../messages.ts';
import { useApi } from '../services.ts';
import { useScope } from './use-scope.ts';

/** What the person may change here. Before the answer is there, nothing is offered that could be refused. */
export interface Rights {
  /** False for viewers: nothing can be changed. */
  readonly canEdit: boolean;
  /** Why flags cannot be changed in the environment; undefined when they can. */
  whyNot(environment: Pick<Environment, 'id' | 'name'>): string | undefined;
}

/** The person's rights in the project and in each of its environments. */
export function useRights(): Rights {
  const api = useApi();
  const { me, organization, project, role } = useScope();
  const { data: member } = useQuery({
    queryKey: ['member', organization.id, me.id],
    staleTime: 300_000,
    queryFn: async () => {
      const path = { organization_id: organization.id };
      const query = { per_page: 200 };
      const { data } = await unwrap(
        api.GET('/api/v1/organizations/{organization_id}/members', { params: { path, query } }),
      );
      return data.find(({ id }) => id === me.id) ?? null;
    },
  });
  const inProject = member?.project_roles.find(({ project_id }) => project_id === project.id)?.role;
  const canEdit = role !== 'viewer' || (inProject !== undefined && inProject !== 'viewer');
  const environmentIds = member?.environment_ids ?? undefined;
  return {
    canEdit,
    whyNot({ id, name }) {
      if (!canEdit) return t.viewerOnly;
      if (member === undefined && role !== 'admin') return t.checkingRights;
      return environmentIds === undefined || environmentIds.includes(id) ? undefined : t.keptFrom(name);
    },
  };
}
