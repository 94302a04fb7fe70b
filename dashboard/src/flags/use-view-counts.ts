import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { Badge } from '../app/page-definition.ts';
import { type Scope, useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { formatNumber } from '../i18n/format-number.ts';
import { startOfDay } from './flags-search.ts';

/** How many flags each view has. */
export function useViewCounts() {
  const api = useApi();
  const { project } = useScope();
  return useQuery(viewCounts(api, project.id)).data;
}

const viewCounts = (api: ReturnType<typeof useApi>, projectId: string) => ({
  queryKey: ['flag', 'views', projectId],
  staleTime: 10_000,
  queryFn: async () => {
    const params = { path: { project_id: projectId }, query: { changed_since: startOfDay() } };
    return (await unwrap(api.GET('/api/v1/projects/{project_id}/flag-views', { params }))).data;
  },
});

/** The number of flags, beside the page's name. */
export function useFlagBadge({ project }: Scope): Badge | undefined {
  const { data } = useQuery(viewCounts(useApi(), project.id));
  return data && { text: formatNumber(data.all) };
}
