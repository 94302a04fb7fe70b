import type { components } from '@flagsvc/openapi';
import { useQueries, useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { type ApiProblem, toProblem } from '../api/problem.ts';
import type { Environment, Instance } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';

export type ApiKey = components['schemas']['ApiKey'];
export type CreateKeyBody = components['schemas']['CreateApiKeyBody'];
export type UpdateKeyBody = components['schemas']['UpdateApiKeyBody'];
/** A key with its secret, which only the answer that made it has. */
export type MadeKey = ApiKey & { readonly key?: string };

/** In the place of the keys of an environment whose keys are for others. */
const CLOSED = 'closed';
const PER_PAGE = 200;
/** How often the page looks for the first request of a new key. */
const WAIT_MS = 3_000;

export interface ApiKeys {
  /** The keys of all environments that the person may read, production first; undefined while they load. */
  readonly keys: readonly ApiKey[] | undefined;
  /** Environments whose keys the person may see and change. */
  readonly open: readonly Environment[];
  /** Environments whose keys are for others. */
  readonly closed: readonly Environment[];
  readonly problem: ApiProblem | undefined;
  readonly retry: () => void;
}

/** The keys of the project's environments. `isWaiting` reads them again every three seconds. */
export function useApiKeys(isWaiting: boolean): ApiKeys {
  const api = useApi();
  const { environments, environment: only } = useScope();
  const wanted = only ? [only] : environments.toReversed();
  const answers = useQueries({
    queries: wanted.map(({ id }) => ({
      queryKey: ['api_key', id],
      refetchInterval: isWaiting ? WAIT_MS : (false as const),
      queryFn: async (): Promise<readonly ApiKey[] | 'closed'> => {
        const params = { path: { environment_id: id }, query: { per_page: PER_PAGE } };
        try {
          return (await unwrap(api.GET('/api/v1/environments/{environment_id}/api-keys', { params }))).data;
        } catch (error) {
          // Not an error of the page: it says whose keys these are.
          if (toProblem(error).status === 403) return CLOSED;
          throw error;
        }
      },
    })),
  });
  const failed = answers.find(({ error }) => error !== null);
  const isLoading = answers.some(({ data }) => data === undefined);
  return {
    keys: isLoading
      ? undefined
      : answers.flatMap(({ data }) => (data === undefined || data === CLOSED ? [] : data)),
    open: wanted.filter((_, index) => answers[index]?.data !== CLOSED),
    closed: wanted.filter((_, index) => answers[index]?.data === CLOSED),
    problem: failed && toProblem(failed.error),
    retry: () => {
      for (const { refetch } of answers) void refetch();
    },
  };
}

/** The server's own limits, for the fields that a key leaves empty. */
export function useServerLimits(): Instance['rate_limits'] | undefined {
  const api = useApi();
  return useQuery({
    queryKey: ['instance'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/instance'))).data,
    // Other pages read the same query, so it keeps the whole answer.
    select: ({ rate_limits: limits }) => limits,
  }).data;
}
