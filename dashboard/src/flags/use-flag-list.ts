import type { components } from '@flagsvc/openapi';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { unwrap } from '../api/client.ts';
import type { Query } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { type FlagsSearch, startOfDay, type View } from './flags-search.ts';
import type { Range } from './use-row-window.ts';

export type ProjectFlag = components['schemas']['ProjectFlag'];
export type EnvironmentState = ProjectFlag['environments'][number];

/** Flags on a page of the API; the list asks for the pages that are on the screen. */
const PER_PAGE = 100;
/** Changes of others arrive by the stream of live changes. */
const FRESH_MS = 60_000;

/** A list that knows its length and has the rows around those on the screen. */
export interface FlagList {
  /** Undefined until the first answer. */
  readonly total: number | undefined;
  /** Undefined while it loads. */
  readonly rowAt: (index: number) => ProjectFlag | undefined;
  /** True while the rows are those of the filters before. */
  readonly isOld: boolean;
  readonly error: Error | null;
  retry(): void;
}

interface Page {
  readonly data: readonly ProjectFlag[];
}

interface Known extends Pick<FlagList, 'rowAt'> {
  readonly key: string;
  readonly total: number;
}

/** The flags that fit the view and the filters. Rows of the filters before stay until the first answer. */
export function useFlagList(search: FlagsSearch, { first, end }: Range): FlagList {
  const api = useApi();
  const queries = useQueryClient();
  const { project, environment } = useScope();
  const filters = filtersOf(search, environment?.id);
  const from = Math.floor(first / PER_PAGE);
  const pages = Array.from(
    { length: Math.floor(Math.max(0, end - 1) / PER_PAGE) - from + 1 },
    (_, n) => from + n,
  );
  const keyOf = (page: number) => ['flag', 'list', project.id, filters, page];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      staleTime: FRESH_MS,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
        const query = { ...filters, include: 'evaluations' as const, per_page: PER_PAGE, page: page + 1 };
        const params = { path: { project_id: project.id }, query };
        return unwrap(api.GET('/api/v1/projects/{project_id}/flags', { params, signal }));
      },
    })),
  });
  // From the cache, since the row with the focus can be far from the screen.
  const rowAt = (index: number) =>
    queries.getQueryData<Page>(keyOf(Math.floor(index / PER_PAGE)))?.data[index % PER_PAGE];
  const key = JSON.stringify([project.id, filters]);
  const before = useRef<Known>(undefined);
  const answer = results.find(({ data }) => data !== undefined)?.data;
  if (answer !== undefined) before.current = { key, total: answer.meta.total, rowAt };
  const known = before.current;
  const isOld = answer === undefined && known !== undefined && known.key !== key;
  return {
    total: known?.total,
    rowAt: isOld ? known.rowAt : rowAt,
    isOld,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const result of results) if (result.isError) void result.refetch();
    },
  };
}

const VIEW_FILTERS: Readonly<Record<View, () => Query<'listProjectFlags'>>> = {
  all: () => ({}),
  mine: () => ({ owner_id: 'me' }),
  changed: () => ({ changed_since: startOfDay() }),
  stale: () => ({ status: 'stale' }),
  kill_switches: () => ({ classification: 'ops_killswitch' }),
  partly_rolled_out: () => ({ state: 'share' }),
};

/** The filters and the order, as the API takes them. */
export function filtersOf(
  { view, q, tag, status, type, kind, state, owner, sort, order }: FlagsSearch,
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
    ...(owner !== undefined && { owner_id: owner }),
  };
  const place = chosen.state !== undefined &&
    environmentId !== undefined && { environment_id: environmentId };
  return { ...chosen, ...place, sort, order };
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
