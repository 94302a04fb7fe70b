import type { operations } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { useApi } from '../app/services.ts';

export type Session =
  operations['listSessions']['responses']['200']['content']['application/json']['data'][number];

const PER_PAGE = 200;
const EVERY_MS = 30_000;

/** The person's open sessions, this one first. */
export function useSessions() {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['session'],
    refetchInterval: EVERY_MS,
    queryFn: async () => {
      const query = { per_page: PER_PAGE };
      return (await unwrap(api.GET('/api/v1/auth/sessions', { params: { query } }))).data;
    },
  });
  return {
    sessions: data?.toSorted((one, other) => Number(other.current) - Number(one.current)),
    problem: error === null || data !== undefined ? undefined : toProblem(error),
    retry: () => void refetch(),
  };
}
