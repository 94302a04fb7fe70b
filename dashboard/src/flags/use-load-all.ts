import { useCallback } from 'react';
import { unwrap } from '../api/client.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import type { FlagsSearch } from './flags-search.ts';
import { filtersOf, type ProjectFlag } from './use-flag-list.ts';

const PER_PAGE = 200;

/** Reads every flag that fits the filters, for an action on all of them. */
export function useLoadAll(search: FlagsSearch): () => Promise<readonly ProjectFlag[]> {
  const api = useApi();
  const { project, environment } = useScope();
  const wanted = JSON.stringify(filtersOf(search, environment?.id));
  return useCallback(async () => {
    const found: ProjectFlag[] = [];
    let cursor: string | null | undefined;
    do {
      const query = {
        ...(JSON.parse(wanted) as ReturnType<typeof filtersOf>),
        per_page: PER_PAGE,
        ...(cursor && { cursor }),
      };
      const params = { path: { project_id: project.id }, query };
      const { data, meta } = await unwrap(api.GET('/api/v1/projects/{project_id}/flags', { params }));
      found.push(...data);
      cursor = meta.next_cursor;
    } while (cursor !== null);
    return found;
  }, [api, project.id, wanted]);
}
