import type { components } from '@flagsvc/openapi';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import type { Query } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { type FlagsSearch, startOfDay, type View } from './flags-search.ts';

export type ProjectFlag = components['schemas']['ProjectFlag'];
export type EnvironmentState = ProjectFlag['environments'][number];

const PER_PAGE = 100;

/** The flags that fit the view and the filters, page by page. */
export function useFlags(search: FlagsSearch) {
  const api = useApi();
  const { project, environment } = useScope();
  const filters = filtersOf(search, environment?.id);
  return useInfiniteQuery({
    queryKey: ['flag', 'list', project.id, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const query = { ...filters, per_page: PER_PAGE, ...(pageParam !== undefined && { cursor: pageParam }) };
      const path = { project_id: project.id };
      return unwrap(api.GET('/api/v1/projects/{project_id}/flags', { params: { path, query } }));
    },
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
    placeholderData: (before) => before,
  });
}

const VIEW_FILTERS: Readonly<Record<View, () => Query<'listProjectFlags'>>> = {
  all: () => ({}),
  mine: () => ({ owner_id: 'me' }),
  changed: () => ({ changed_since: startOfDay() }),
  stale: () => ({ status: 'stale' }),
  kill_switches: () => ({ classification: 'ops_killswitch' }),
  partly_rolled_out: () => ({ state: 'share' }),
};

function filtersOf(
  { view, q, tag, status, type, kind, state, sort, order }: FlagsSearch,
  environmentId: string | undefined,
): Query<'listProjectFlags'> {
  const chosen = {
    ...VIEW_FILTERS[view](),
    ...(q !== undefined && { search: q }),
    ...(tag !== undefined && { tag }),
    ...(status !== undefined && { status }),
    ...(type !== undefined && { flag_type: type }),
    ...(kind !== undefined && { classification: kind }),
    ...(state !== undefined && { state }),
  };
  const place = chosen.state !== undefined &&
    environmentId !== undefined && { environment_id: environmentId };
  return { ...chosen, ...place, sort, order, include: 'evaluations' };
}

/** The tags of the project, for the filter. */
export function useTags() {
  const api = useApi();
  const { project } = useScope();
  return useQuery({
    queryKey: ['flag', 'tags', project.id],
    staleTime: 60_000,
    queryFn: async () => {
      const params = { path: { project_id: project.id } };
      return (await unwrap(api.GET('/api/v1/projects/{project_id}/tags', { params }))).data;
    },
  }).data;
}
