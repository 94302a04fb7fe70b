import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { readAll } from '../api/read-all.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

/** First parts of the keys of queries that a change of a project outdates. */
export const OUTDATES = ['project', 'environment', 'api_key', 'audit'];

/** The archived projects of the organization. */
export function useArchivedProjects(isShown: boolean) {
  const api = useApi();
  const { organization } = useScope();
  return useQuery({
    queryKey: ['project', 'archived', organization.id],
    enabled: isShown,
    queryFn: () =>
      readAll((page) => {
        const query = { organization_id: organization.id, archived: true, ...page };
        return unwrap(api.GET('/api/v1/projects', { params: { query } }));
      }),
  });
}
