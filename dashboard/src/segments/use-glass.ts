import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { BreakGlass } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

/** My open break-glass session that covers a segment, which belongs to every environment of the project. */
export function useGlass(): BreakGlass | undefined {
  const api = useApi();
  const { me, project, environments, role } = useScope();
  const { data } = useQuery({
    queryKey: ['break_glass', 'open'],
    enabled: role === 'admin',
    refetchInterval: 60_000,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/break-glass', { params: { query: { status: 'open', per_page: 50 } } })))
        .data,
  });
  return data?.find(
    ({ opened_by, scope }) =>
      opened_by.id === me.id &&
      scope.flag_ids === null &&
      (scope.project_ids.includes(project.id) ||
        environments.every(({ id }) => scope.environment_ids.includes(id))),
  );
}
