import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import type { Environment, Flag } from '../api/types.ts';
import { readText, type SearchParams, useSearchState } from '../app/navigation/use-search-state.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

/** The key of the query that holds the flag in each environment. */
export const flagKey = (projectId: string, key: string) => ['flag', projectId, key, 'environments'] as const;

/** The flag of the address, once for each environment. */
export function useFlag() {
  const api = useApi();
  const { project, environments } = useScope();
  const { flag: key = '' } = useParams({ strict: false }) as { readonly flag?: string };
  const query = useQuery({
    queryKey: flagKey(project.id, key),
    enabled: environments.length > 0,
    queryFn: async (): Promise<readonly Flag[]> => {
      const byKey = { path: { key }, query: { project_id: project.id, environment_id: environments[0]!.id } };
      const { data: one } = await unwrap(api.GET('/api/v1/flags/by-key/{key}', { params: byKey }));
      const params = { path: { flag_id: one.id }, query: { per_page: 200 } };
      return (await unwrap(api.GET('/api/v1/flags/{flag_id}/environments', { params }))).data;
    },
  });
  return { key, query };
}

/** The entity tag of a flag in an environment, for `If-Match`. */
export const tagOf = ({ revision }: Pick<Flag, 'revision'>): string => `"${revision}"`;

/** One environment with the flag as it is there. */
export interface Place {
  readonly environment: Environment;
  readonly flag: Flag;
}

/** The state of the page in its address: the environment whose rules are shown, by key. */
interface FlagSearch {
  /** Not `environment`, which limits every page to one. */
  readonly rules: string | undefined;
}

const parseFlagSearch = (raw: SearchParams): FlagSearch => ({
  rules: readText(raw['rules']),
});

/** The places of a flag, and the one whose rules are shown: of the address, else production. */
export function usePlaces(flags: readonly Flag[]) {
  const { environments, environment: only } = useScope();
  const [search, setSearch] = useSearchState(parseFlagSearch);
  const places = environments.flatMap((environment): Place[] => {
    const flag = flags.find(({ environment_id }) => environment_id === environment.id);
    return flag === undefined ? [] : [{ environment, flag }];
  });
  const shown =
    places.find(({ environment }) => environment.key === search.rules) ??
    places.find(({ environment }) => environment.id === only?.id) ??
    places.findLast(({ environment }) => environment.type === 'production') ??
    places.at(-1);
  const show = (environment: Environment) => setSearch({ rules: environment.key });
  return { places, shown, show };
}
