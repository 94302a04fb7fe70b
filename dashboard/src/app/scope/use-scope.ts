import { useQuery } from '@tanstack/react-query';
import { defaultStringifySearch } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import { unwrap } from '../../api/client.ts';
import type { Environment, Me, Project, Role } from '../../api/types.ts';
import { useApi } from '../services.ts';

/** Where the person works: one project of one organization. */
export interface Scope {
  readonly me: Me;
  readonly organization: Me['organizations'][number];
  readonly project: Project;
  readonly projects: readonly Project[];
  /** In their order: development first, production last, unless the project says otherwise. */
  readonly environments: readonly Environment[];
  /** The environment that the page is limited to; undefined is all. From the address. */
  readonly environment: Environment | undefined;
  readonly role: Role;
  /**
   * The address of a page of this project: `hrefTo('flags')` or `hrefTo('flags/checkout', { tab: 'why' })`. A path with
   * a slash at its start, such as `/settings/profile`, names no project.
   */
  hrefTo(path: string, search?: Readonly<Record<string, string | undefined>>): string;
}

export const ScopeContext = createContext<Scope | undefined>(undefined);

/** Where the person works. Only for pages of a project. */
export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (scope === undefined) throw new Error('A page was rendered outside of a project.');
  return scope;
}

/** `/o/{organization}/p/{project}/{path}`, or the path itself if it begins with a slash. */
export function projectHref(
  place: { readonly organization: string; readonly project: string },
  path: string,
  search: Readonly<Record<string, string | undefined>> = {},
): string {
  // The router reads `1e5` and `null` as values unless they are quoted; a flag may have such a key.
  const query = defaultStringifySearch(search);
  const base = `/o/${encodeURIComponent(place.organization)}/p/${encodeURIComponent(place.project)}`;
  if (path.startsWith('/')) return `${path}${query}`;
  return path === '' ? `${base}${query}` : `${base}/${path}${query}`;
}

/** The person who is signed in. */
export function useMe(isSignedIn: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['me'],
    enabled: isSignedIn,
    staleTime: 300_000,
    queryFn: async () => (await unwrap(api.GET('/api/v1/auth/me'))).data,
  });
}

export function useProjects(organizationId: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['project', organizationId],
    enabled: organizationId !== undefined,
    staleTime: 30_000,
    queryFn: async () =>
      (
        await unwrap(
          api.GET('/api/v1/projects', {
            params: { query: { organization_id: organizationId!, per_page: 200 } },
          }),
        )
      ).data,
  });
}

export function useEnvironments(projectId: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['environment', projectId],
    enabled: projectId !== undefined,
    staleTime: 30_000,
    queryFn: async () => {
      const { data } = await unwrap(
        api.GET('/api/v1/environments', { params: { query: { project_id: projectId!, per_page: 200 } } }),
      );
      return data.toSorted((a, b) => a.position - b.position);
    },
  });
}

/** The freezes that are active now: one request, however many environments there are. */
export function useActiveFreezes(isSignedIn: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['freeze', 'active'],
    enabled: isSignedIn,
    refetchInterval: 60_000,
    queryFn: async () => {
      const query = { status: 'active' as const, per_page: 200 };
      return (await unwrap(api.GET('/api/v1/freeze-windows', { params: { query } }))).data;
    },
  });
}
