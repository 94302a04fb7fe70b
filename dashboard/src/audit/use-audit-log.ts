import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { Query } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { type AuditSearch, OF_ORGANIZATION } from './audit-search.ts';

const PER_PAGE = 50;

/** The entries that fit the filters, newest first, page by page. */
export function useAuditLog({ q, of }: AuditSearch) {
  const api = useApi();
  const { project, environment } = useScope();
  const filters: Query<'listAuditLog'> = {
    ...(!OF_ORGANIZATION.has(of) && {
      project_id: project.id,
      ...(environment && { environment_id: environment.id }),
    }),
    ...(q !== undefined && { q }),
    ...(of !== undefined && { resource_type: of }),
  };
  return useInfiniteQuery({
    queryKey: ['audit', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const query = { ...filters, per_page: PER_PAGE, ...(pageParam !== undefined && { cursor: pageParam }) };
      return unwrap(api.GET('/api/v1/audit-log', { params: { query } }));
    },
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
    // The rows on the screen stay while the next filter loads.
    placeholderData: (before) => before,
  });
}

/** One entry, for the address that a colleague sent. */
export function useAuditEntry(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['audit', 'entry', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const path = { audit_entry_id: id! };
      return (await unwrap(api.GET('/api/v1/audit-log/{audit_entry_id}', { params: { path } }))).data;
    },
  });
}
