import type { components } from '@flagsvc/openapi';
import type { Ruleset } from '@flagsvc/sdk-core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { unwrap } from '../api/client.ts';
import { isMissing, toProblem } from '../api/problem.ts';
import type { Flag } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

export type RecordedContext = components['schemas']['RecordedContext'];

/** More flags than these show their keys in the place of their names. */
const NAME_PAGES = 25;

/** What SDKs of the environment have now. Changes of flags and segments load it again. */
export function useRuleset(environmentId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['flag', 'ruleset', environmentId],
    queryFn: async (): Promise<Ruleset> => {
      const params = { path: { environment_id: environmentId } };
      const { data } = await unwrap(api.GET('/api/v1/environments/{environment_id}/ruleset', { params }));
      return data as Ruleset;
    },
  });
}

/** The flag in the environment, for its names and its rules while it is off; null when there is none. */
export function useSavedFlag(key: string | undefined, environmentId: string) {
  const api = useApi();
  const { project } = useScope();
  return useQuery({
    queryKey: ['flag', 'why', project.id, key, environmentId],
    enabled: key !== undefined,
    queryFn: async (): Promise<Flag | null> => {
      const query = { project_id: project.id, environment_id: environmentId };
      const params = { path: { key: key! }, query };
      try {
        return (await unwrap(api.GET('/api/v1/flags/by-key/{key}', { params }))).data;
      } catch (error) {
        if (isMissing(toProblem(error))) return null;
        throw error;
      }
    },
  });
}

/** Names of the project's flags by key. */
export function useFlagNames(): (key: string) => string {
  const api = useApi();
  const { project } = useScope();
  const { data } = useQuery({
    queryKey: ['flag', 'names', project.id],
    staleTime: 60_000,
    queryFn: async () => {
      const names = new Map<string, string>();
      let cursor: string | undefined;
      for (let page = 0; page < NAME_PAGES; page++) {
        const query = { per_page: 200, sort: 'key' as const, ...(cursor !== undefined && { cursor }) };
        const params = { path: { project_id: project.id }, query };
        const { data: flags, meta } = await unwrap(
          api.GET('/api/v1/projects/{project_id}/flags', { params }),
        );
        for (const { key, name } of flags) names.set(key, name);
        cursor = meta.next_cursor ?? undefined;
        if (cursor === undefined) break;
      }
      return names;
    },
  });
  return useCallback((key) => data?.get(key) ?? key, [data]);
}

/** The contexts that the environment recorded in the last day, latest first, page by page. */
export function useRecordedContexts(environmentId: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['recorded-context', environmentId],
    initialPageParam: 1,
    queryFn: ({ pageParam: page }) => {
      const params = { path: { environment_id: environmentId }, query: { page, per_page: 100 } };
      return unwrap(api.GET('/api/v1/environments/{environment_id}/recorded-contexts', { params }));
    },
    getNextPageParam: ({ meta }) => (meta.page * meta.per_page < meta.total ? meta.page + 1 : undefined),
  });
}
